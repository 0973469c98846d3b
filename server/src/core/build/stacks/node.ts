export type NodeApp = {
  locked: boolean
  install: string | undefined
  build: string | undefined
  start: string | undefined
  main: string | undefined
  port: number
  /** Mounted for the commands, never part of the image. */
  secrets: string[]
}

/**
 * A Node application: dependencies from the lock file with a cache of its own, a build where there is one, and a second
 * stage without development dependencies that runs as an ordinary user.
 */
export function nodeDockerfile(app: NodeApp): string {
  const install = app.install ?? (app.locked ? 'npm ci --no-audit --no-fund' : 'npm install --no-audit --no-fund')
  const start = app.start === undefined ? JSON.stringify(['node', app.main ?? 'server.js']) : commandOf(app.start)
  const mounts = app.secrets.map((name) => `--mount=type=secret,id=${name} `).join('')
  // Files, because not every engine can mount a secret as a variable.
  const exported = app.secrets.map((name) => `export ${name}="$(cat /run/secrets/${name})" && `).join('')
  return `FROM node:24-slim AS build
WORKDIR /app
ENV npm_config_cache=/cache/npm
COPY . .
RUN --mount=type=cache,id=npm,target=/cache/npm ${mounts}${exported}${oneLine(install)}
${app.build === undefined ? '' : `RUN ${mounts}${exported}${oneLine(app.build)}\n`}RUN npm prune --omit=dev --no-audit --no-fund

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production PORT=${app.port} HOST=0.0.0.0
COPY --from=build --chown=1000:1000 /app ./
USER 1000
EXPOSE ${app.port}
CMD ${start}
`
}

/** A plain command runs without a shell in between, so that it gets the signals itself. */
function commandOf(command: string): string {
  const plain = /^[\w./@:=+-]+( [\w./@:=+-]+)*$/.test(command)
  return plain ? JSON.stringify(command.split(' ')) : oneLine(command)
}

/** A line break would begin another instruction. */
const oneLine = (command: string) => command.replace(/\s*[\r\n]+\s*/g, ' ')
