import type { Command } from './command.ts'
import type { CommandName } from './table/table.ts'

/** One of a file's commands. Read when it is asked for, so that no command pays for another. */
const from =
  <M, K extends keyof M>(file: () => Promise<M>, name: K) =>
  async () =>
    (await file())[name]

const login = () => import('./commands/account/login.ts')
const logout = () => import('./commands/account/logout.ts')
const whoami = () => import('./commands/account/whoami.ts')
const context = () => import('./commands/account/context.ts')
const init = () => import('./commands/project/init.ts')
const link = () => import('./commands/project/link.ts')
const open = () => import('./commands/project/open.ts')
const projects = () => import('./commands/project/projects.ts')
const deploy = () => import('./commands/deploy/deploy.ts')
const ls = () => import('./commands/deploy/ls.ts')
const inspect = () => import('./commands/deploy/inspect.ts')
const logs = () => import('./commands/deploy/logs.ts')
const again = () => import('./commands/deploy/again.ts')
const act = () => import('./commands/deploy/act.ts')
const decide = () => import('./commands/deploy/decide.ts')
const ps = () => import('./commands/running/ps.ts')
const top = () => import('./commands/running/top.ts')
const env = () => import('./commands/settings/env.ts')
const envFile = () => import('./commands/settings/env-file.ts')
const domains = () => import('./commands/settings/domains.ts')
const ssl = () => import('./commands/settings/ssl.ts')
const services = () => import('./commands/settings/services.ts')
const volumes = () => import('./commands/settings/volumes.ts')
const servers = () => import('./commands/machines/servers.ts')
const migrate = () => import('./commands/machines/migrate.ts')
const cloud = () => import('./commands/machines/cloud.ts')
const registries = () => import('./commands/machines/registries.ts')
const backups = () => import('./commands/machines/backups.ts')
const connection = () => import('./commands/git/connection.ts')
const repositories = () => import('./commands/git/repositories.ts')
const hooks = () => import('./commands/git/hooks.ts')
const deliveries = () => import('./commands/git/deliveries.ts')
const settings = () => import('./commands/git/settings.ts')
const orgs = () => import('./commands/organization/orgs.ts')
const members = () => import('./commands/organization/members.ts')
const tokens = () => import('./commands/organization/tokens.ts')
const audit = () => import('./commands/organization/audit.ts')
const status = () => import('./commands/tools/status.ts')
const instance = () => import('./commands/tools/instance.ts')
const api = () => import('./commands/tools/api.ts')
const doctor = () => import('./commands/tools/doctor.ts')
const completion = () => import('./commands/tools/completion.ts')
const version = () => import('./commands/tools/version.ts')
const serverCommand = () => import('./commands/tools/server-command.ts')

/** Where each command is. */
export const load: { [N in CommandName]: () => Promise<Command<N>> } = {
  login: from(login, 'login'),
  logout: from(logout, 'logout'),
  whoami: from(whoami, 'whoami'),
  'context ls': from(context, 'list'),
  'context use': from(context, 'use'),
  'context rm': from(context, 'remove'),
  init: from(init, 'init'),
  link: from(link, 'link'),
  unlink: from(link, 'unlink'),
  open: from(open, 'open'),
  'projects ls': from(projects, 'list'),
  'projects create': from(projects, 'create'),
  'projects inspect': from(projects, 'inspect'),
  'projects set': from(projects, 'set'),
  'projects rename': from(projects, 'rename'),
  'projects rm': from(projects, 'remove'),
  deploy: from(deploy, 'deploy'),
  ls: from(ls, 'ls'),
  inspect: from(inspect, 'inspect'),
  logs: from(logs, 'logs'),
  redeploy: from(again, 'redeploy'),
  rollback: from(again, 'rollback'),
  cancel: from(act, 'cancel'),
  restart: from(act, 'restart'),
  pin: from(act, 'pin'),
  unpin: from(act, 'unpin'),
  rm: from(act, 'rm'),
  keep: from(decide, 'keep'),
  reject: from(decide, 'reject'),
  respond: from(decide, 'respond'),
  ps: from(ps, 'ps'),
  top: from(top, 'top'),
  'env ls': from(env, 'list'),
  'env set': from(env, 'set'),
  'env rm': from(env, 'remove'),
  'env pull': from(envFile, 'pull'),
  'env push': from(envFile, 'push'),
  'env diff': from(envFile, 'diff'),
  'domains ls': from(domains, 'list'),
  'domains add': from(domains, 'add'),
  'domains check': from(domains, 'check'),
  'domains rm': from(domains, 'remove'),
  'ssl status': from(ssl, 'status'),
  'ssl renew': from(ssl, 'renew'),
  'services ls': from(services, 'list'),
  'services set': from(services, 'set'),
  'services rm': from(services, 'remove'),
  'volumes ls': from(volumes, 'list'),
  'volumes grants': from(volumes, 'grants'),
  'volumes revoke': from(volumes, 'revoke'),
  'servers ls': from(servers, 'list'),
  'servers add': from(servers, 'add'),
  'servers inspect': from(servers, 'inspect'),
  'servers set': from(servers, 'set'),
  'servers check': from(servers, 'check'),
  'servers rm': from(servers, 'remove'),
  'migrate scan': from(migrate, 'scan'),
  'migrate adopt': from(migrate, 'adopt'),
  'cloud link': from(cloud, 'link'),
  'cloud promotion': from(cloud, 'promotion'),
  'cloud status': from(cloud, 'status'),
  'cloud unlink': from(cloud, 'unlink'),
  'registries ls': from(registries, 'list'),
  'registries add': from(registries, 'add'),
  'registries set': from(registries, 'set'),
  'registries check': from(registries, 'check'),
  'registries rm': from(registries, 'remove'),
  'backups ls': from(backups, 'list'),
  'backups add': from(backups, 'add'),
  'backups inspect': from(backups, 'inspect'),
  'backups set': from(backups, 'set'),
  'backups test': from(backups, 'test'),
  'backups rm': from(backups, 'remove'),
  'git status': from(connection, 'status'),
  'git connect': from(connection, 'connect'),
  'git disconnect': from(connection, 'disconnect'),
  'git repos': from(repositories, 'list'),
  'git inspect': from(repositories, 'inspect'),
  'git branches': from(repositories, 'branches'),
  'git create': from(repositories, 'create'),
  'git rm': from(repositories, 'remove'),
  'git token': from(repositories, 'token'),
  'git hooks': from(hooks, 'list'),
  'git watch': from(hooks, 'watch'),
  'git unwatch': from(hooks, 'unwatch'),
  'git deliveries': from(deliveries, 'list'),
  'git replay': from(deliveries, 'replay'),
  'git rules': from(settings, 'rules'),
  'git app-key': from(settings, 'appKey'),
  'git hook-secret': from(settings, 'hookSecret'),
  'orgs ls': from(orgs, 'list'),
  'members ls': from(members, 'list'),
  'members role': from(members, 'changeRole'),
  'members rm': from(members, 'remove'),
  'members invite': from(members, 'invite'),
  'members invitations': from(members, 'invitations'),
  'members withdraw': from(members, 'withdraw'),
  'tokens ls': from(tokens, 'list'),
  'tokens inspect': from(tokens, 'inspect'),
  'tokens create': from(tokens, 'create'),
  'tokens revoke': from(tokens, 'revoke'),
  audit: from(audit, 'audit'),
  status: from(status, 'status'),
  instance: from(instance, 'instance'),
  api: from(api, 'api'),
  doctor: from(doctor, 'doctor'),
  completion: from(completion, 'completion'),
  version: from(version, 'version'),
  server: from(serverCommand, 'server'),
  admin: from(serverCommand, 'admin'),
  setup: from(serverCommand, 'setup'),
}
