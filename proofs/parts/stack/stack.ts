import type { Files } from '../../../test-kit/sample-app.ts'

/** The stack of the proofs: a database with a volume, a job, and who needs them. */
export const SERVICES = ['cache', 'db', 'migrate', 'api', 'worker', 'web'] as const
export type Name = (typeof SERVICES)[number]
export const JOB: Name = 'migrate'
export const RUNNING = SERVICES.filter((name) => name !== JOB)

/** In chains most of them wait for another one; flat, each comes up or fails by itself. */
export type Shape = 'chains' | 'flat'

/** Who waits for whom. */
const AFTER: Record<Name, Name[]> = {
  cache: [],
  db: [],
  migrate: ['db'],
  api: ['migrate'],
  worker: ['cache'],
  web: ['api'],
}

export const waitsFor = (name: Name, shape: Shape): Name[] => (shape === 'flat' ? [] : AFTER[name])

/** Each listens on a port of its own: a name of the project means a service by its port. */
const PORT: Record<Name, number> = { cache: 8081, db: 8082, migrate: 8083, api: 8084, worker: 8085, web: 8086 }

/** How one of them is wrong: it does not build, ends at once, or never passes its check. */
export type Fault = 'build' | 'start' | 'health'
export type Version = {
  version: string
  faults?: Partial<Record<Name, Fault>>
  /** Instead of the version, for these alone. */
  own?: Partial<Record<Name, string>>
  /** Only these, where not all. */
  only?: readonly Name[]
  /** Further lines of a service in the compose file. */
  lines?: Partial<Record<Name, string>>
  shape?: Shape
}

/** Every service is built from a folder of its own; `own` changes the version of one of them alone. */
export function stackFiles(wanted: Version): Files {
  const { version, faults = {}, own = {}, only = SERVICES, shape = 'chains' } = wanted
  const files: Files = { 'compose.yaml': composeFile({ ...wanted, only, shape }) }
  for (const name of only) {
    const fault = faults[name]
    files[`${name}/Dockerfile`] =
      `FROM busybox:1\nCOPY . /app/\n${fault === 'build' ? 'RUN echo "it cannot be built" && false\n' : ''}CMD ["/bin/sh", "/app/run.sh"]\n`
    files[`${name}/version`] = `${name} ${own[name] ?? version}`
    files[`${name}/fault`] = fault ?? 'none'
    files[`${name}/run.sh`] = name === JOB ? runOnce(shape) : run(name)
  }
  return files
}

/** What the edge leads to, for each of them that keeps running. */
export const atEdge = (hostOf: (name: Name) => string, only: readonly Name[] = RUNNING) => ({
  services: only.map((name) => ({ name, port: PORT[name], exposed: true })),
  publicEndpoints: only.map((name) => ({ domainType: 'custom', customDomain: hostOf(name), port: PORT[name] })),
})

/** A volume holds which version was the first that wrote to it and which the last, and every start. */
const run = (name: Name) => `
[ "$(cat /app/fault)" = start ] && { echo "it cannot go on"; exit 3; }
mkdir -p /www
cp /app/version /www/index.html
echo "\${SAID:-nothing}" > /www/said
[ -d /data ] && {
  [ -f /data/first ] || cp /app/version /data/first
  cp /app/version /data/last
  { cat /app/version; echo; } >> /data/starts
  ln -s /data /www/data
}
[ "$(cat /app/fault)" = health ] || echo fine > /www/healthz
exec httpd -f -p ${PORT[name]} -h /www
`

const runOnce = (shape: Shape) => `
[ "$(cat /app/fault)" = none ] || { echo "it cannot be migrated"; exit 4; }
${shape === 'flat' ? '' : `wget -q -O /dev/null http://db:${PORT.db}/ || { echo "db is not there"; exit 5; }`}
echo "migrated to $(cat /app/version)"
`

/** Looked at often while it starts and rarely afterwards: many stacks share the machine. */
const check = (name: Name) => `
    healthcheck:
      test: ["CMD", "wget", "-q", "-O", "/dev/null", "http://127.0.0.1:${PORT[name]}/healthz"]
      interval: 6s
      timeout: 5s
      retries: 2
      start_period: 3s
      start_interval: 1s
    expose: ["${PORT[name]}"]
    stop_grace_period: 2s`

const NEEDS: Record<Name, string> = {
  cache: '',
  db: '\n    volumes: ["data:/data"]',
  migrate: waits('db', 'service_healthy'),
  api: waits('migrate', 'service_completed_successfully'),
  worker: waits('cache', 'service_started'),
  web: waits('api', 'service_healthy'),
}

function waits(other: Name, condition: string): string {
  return `\n    depends_on:\n      ${other}: { condition: ${condition} }`
}

function composeFile({ only, lines = {}, shape }: Version & { only: readonly Name[]; shape: Shape }): string {
  const services = only.map((name) => {
    const waits = waitsFor(name, shape).some((other) => only.includes(other))
    const needs = waits || AFTER[name].length === 0 ? NEEDS[name] : ''
    // Where nobody waits for the end of a job, it has to be said that it is one.
    const job = name === JOB && shape === 'flat' ? '\n    x-slipway: { job: true }' : ''
    const own = `${job}${lines[name] === undefined ? '' : `\n    ${lines[name]}`}`
    return `  ${name}:\n    build: ./${name}${name === JOB ? '' : check(name)}${needs}${own}`
  })
  return `services:\n${services.join('\n')}\nvolumes:\n  data: {}\n`
}
