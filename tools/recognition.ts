import { PLATFORMS } from '../server/src/core/migration/platform-of.ts'

/** What a scan makes of what it finds; the platforms come from the code that knows them. */
export function recognitionPage(): string {
  const platforms = PLATFORMS.map(({ platform, marks }) => `| ${marks} | of ${platform}: shown, not adoptable |`)
  return `# What a scan recognises

Platforms are from \`core/migration/platform-of.ts\`, by \`tools/generate.ts\`. See [Move a server you already run](../how-to/move-a-server.md).

| mark | is |
|---|---|
${RECOGNISED.map(([mark, is]) => `| ${mark} | ${is} |`).join('\n')}
${platforms.join('\n')}

## Keys

\`compose/<project>/<service>\`, \`swarm/<service>\`, \`container/<name>\`, parts percent-encoded. A key stays when a container is made anew.

## Differences between a file and what is there

\`not_running\` \`not_in_file\` \`image\` \`image_moved\` (the tag means another image now) \`command\` \`environment\` (\`+A\` in the file
only, \`-B\` running only, \`C\` another value) \`ports\` \`mounts\` \`networks\` \`limits\` \`restart\` \`replicas\` \`user\`
\`hostname\` \`replicas_differ\` \`unclear\`: the file takes it from a variable that only the shell knew which started it. Where nothing but
\`unclear\` is left, \`matches\` is null. Names only: no value of a variable is in a difference.

## Why a service is not adopted

| key | because |
|---|---|
${REASONS.map(([key, because]) => `| \`${key}\` | ${because} |`).join('\n')}

## Limits

15 s to connect, 40 s for the engine, 15 s for files, 8 s for sizes, 60 s in all; 2,000 containers, the newest first; 4 MiB for one inspection, 64 MiB
for all; compose files up to 512 KiB; \`/opt\`, \`/srv\`, \`/root\` and \`/home/*\` three folders deep. What is left out is told in \`warnings\`.
`
}

const RECOGNISED: [string, string][] = [
  ['label `com.docker.swarm.service.id`', 'a task of a Swarm: its service is taken instead'],
  ['labels `com.docker.compose.project` and `.service`', 'compose; `.version` `1.*` or none is v1, else v2'],
  ['label `com.docker.compose.oneoff=True`', 'what a single `compose run` has left; not adoptable'],
  ['labels `…project.config_files`, `.working_dir`, `.environment_file`', 'where its files are; read over SFTP'],
  ['label `…depends_on`', 'the order of services, also when the file is gone'],
  ['labels of Traefik 1 to 3, of Caddy; `VIRTUAL_HOST`', '`names` that a proxy leads to it'],
  ['label `com.docker.volume.anonymous`, or a name of 64 hex digits', 'a volume without a name'],
]

const REASONS: [string, string][] = [
  ['platform', 'it belongs to another platform, or to Slipway already'],
  ['oneoff', 'it is a leftover of `compose run`'],
  ['privileged', 'it has all rights over the server'],
  ['pid`, `ipc`, `uts`, `userns_mode', 'it shares a namespace with the server or another container'],
  ['network_mode', 'it shares the network of the server or of another container'],
  ['devices`, `gpus', 'it uses devices of the server'],
  ['cap_add', 'it has capabilities beyond the engine’s own'],
  ['security_opt', 'it runs unconfined'],
  ['runtime', 'it runs in another runtime than runc'],
  [
    'volumes',
    'it has the engine’s socket, a folder of the system or of the engine, a volume of Slipway, or one that goes with it (`--rm`)',
  ],
  ['image', 'its image is gone from the server'],
  ['secrets`, `configs', 'the Swarm keeps them, and gives them to nobody'],
  ['mode', 'it is a global service or a job'],
]
