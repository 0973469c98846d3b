/** What was done, after whoever did it: "Ada made an access token". What is not here is shown by its name in the API. */
const ACTION_WORDS: Record<string, string> = {
  'backup_destination.broke': 'found a backup destination broken',
  'backup_destination.create': 'added a backup destination',
  'backup_destination.delete': 'removed a backup destination',
  'backup_destination.mended': 'found a backup destination working again',
  'backup_destination.platform_backup': 'chose where backups of the platform go',
  'backup_destination.preflight': 'checked a backup destination',
  'backup_destination.update': 'changed a backup destination',
  'certificate.fail': 'could not get a certificate',
  'certificate.renew': 'renewed a certificate',
  'cli_sign_in.refused': 'was refused a sign-in of the command line',
  'cloud_link.begin': 'asked for a link to a cloud',
  'cloud_link.create': 'linked a cloud',
  'cloud_link.end': 'ended the link to a cloud',
  'deployment.build': 'started a build',
  'deployment.cancel': 'cancelled a deployment',
  'deployment.create': 'began a deployment',
  'deployment.delete': 'deleted a deployment',
  'deployment.forward': 'passed a request on to the cloud',
  'deployment.pin': 'pinned a deployment',
  'deployment.respond': 'answered a question of a deployment',
  'deployment.restart': 'restarted a deployment',
  'deployment.unpin': 'unpinned a deployment',
  'domain.add': 'added a domain',
  'domain.lost': 'lost a domain',
  'domain.remove': 'removed a domain',
  'folder_session.create': 'began to upload a folder',
  'folder_session.seal': 'uploaded a folder',
  'githost.app.hook_secret': 'drew another hook secret',
  'githost.app.key': 'used another key for the app',
  'githost.clone_token': 'took a token to clone with',
  'githost.connect': 'began to connect a git host',
  'githost.connected': 'connected a git host',
  'githost.delivery.replay': 'decided a delivery anew',
  'githost.disconnect': 'disconnected a git host',
  'githost.hook.add': 'added a hook',
  'githost.hook.remove': 'removed a hook',
  'githost.repository.create': 'made a repository',
  'githost.repository.delete': 'deleted a repository',
  'githost.rules': 'changed the rules of the git host',
  'grant.create': 'granted what an adopted project needs',
  'grant.revoke': 'revoked a grant',
  'instance_link.create': 'linked an instance',
  'instance_link.revoke': 'ended the link of an instance',
  'invitation.use': 'used an invitation',
  'member.invite': 'invited somebody',
  'member.join': 'joined',
  'member.remove': 'removed a member',
  'member.role': 'changed the role of a member',
  'member.withdraw': 'withdrew an invitation',
  'organization.bootstrap': 'made the first link to come in by',
  'organization.limits': 'changed the limits',
  'organization.sign_up': 'signed up',
  'password.change': 'changed their password',
  'password.refused': 'was refused a change of password',
  'password.reset': 'reset a password',
  'permission.refused': 'was refused something',
  'project.create': 'made a project',
  'project.delete': 'deleted a project',
  'project.give_back': 'took a project back from the cloud',
  'project.promote': 'promoted a project to the cloud',
  'project.promotion_end': 'ended the promotion of a project',
  'project.update': 'changed a project',
  'registry.check': 'checked a registry',
  'registry.create': 'added a registry',
  'registry.delete': 'removed a registry',
  'registry.update': 'changed a registry',
  'server.adopt': 'adopted what ran on a server',
  'server.check': 'checked a server',
  'server.create': 'added a server',
  'server.delete': 'removed a server',
  'server.scan': 'looked for what runs on a server',
  'server.update': 'changed a server',
  'service.delete': 'removed settings of a service',
  'service.put': 'changed settings of a service',
  'session.begin': 'signed in',
  'session.end': 'ended a session',
  'session.end_others': 'ended their other sessions',
  'session.enter': 'changed to this organization',
  'session.refused': 'was refused a sign-in',
  'token.create': 'made an access token',
  'token.revoke': 'revoked an access token',
  'variable.delete': 'removed a variable',
  'variable.reveal': 'looked at the value of a variable',
  'variable.set': 'set variables',
}

export const ACTION_CHOICES = Object.entries(ACTION_WORDS)
  .map(([value, words]) => ({ value, label: capital(words) }))
  .sort((a, b) => a.label.localeCompare(b.label))

export const actionInWords = (action: string, { trigger }: Record<string, unknown> = {}): string =>
  (action === 'deployment.create' && BEGINNINGS[String(trigger)]) || (ACTION_WORDS[action] ?? action)

/** How a deployment began, where that says more. */
const BEGINNINGS: Record<string, string> = {
  rollback: 'began a rollback',
  redeploy: 'began a deployment anew',
  promote: 'began a deployment to the cloud',
}

/** `shop #4`, as far as the entry and the names that are known tell; undefined: neither does. */
export function deploymentInWords(
  { projectId, number }: Record<string, unknown>,
  nameOf: (id: string) => string | undefined,
): string | undefined {
  const project = typeof projectId === 'string' ? nameOf(projectId) : undefined
  const said = [project, typeof number === 'number' ? `#${number}` : undefined].filter(Boolean)
  return said.length > 0 ? said.join(' ') : undefined
}

function capital(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** A refusal is worth seeing among hundreds of lines. */
export const isRefusedAction = (action: string): boolean => /\.(refused|fail|broke|lost)$/.test(action)
