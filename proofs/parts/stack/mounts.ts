import { isDeepStrictEqual } from 'node:util'
import type { Files } from '../../../test-kit/sample-app.ts'
import type { Site } from '../../../test-kit/site.ts'
import { until } from '../../../test-kit/until.ts'
import { over } from './decision.ts'
import { type OnEngine, onEngine } from './look.ts'

/** Two services; one of them sees two folders of its source, of which it may write to one. */
const files = (conf: string, seed: string): Files => ({
  'compose.yaml': COMPOSE,
  Dockerfile: 'FROM busybox:1\nCOPY run.sh /run.sh\nCMD ["/bin/sh", "/run.sh"]\n',
  'run.sh': RUN,
  'conf/app.conf': conf,
  'conf/deep/er.conf': `${conf}, deeper`,
  'state/seed': seed,
})

const COMPOSE = `services:
  app:
    build: .
    expose: ["8080"]
    stop_grace_period: 1s
    volumes: ["./conf:/etc/app:ro", "./state:/state", "./made:/made"]
  other:
    build: .
    expose: ["8080"]
    stop_grace_period: 1s
`

const RUN = `
mkdir -p /www
echo up > /www/index.html
[ -d /state ] && {
  echo start >> /state/starts
  echo start >> /made/starts
  echo no > /etc/app/written && echo written > /www/written
  ln -s /etc/app /www/conf; ln -s /state /www/state; ln -s /made /www/made
}
exec httpd -f -p 8080 -h /www
`

type Seen = { conf: string; deeper: string; seed: string; starts: number; made: number; written: boolean }

/** Files of the source arrive, newer ones with the next deployment, and what a service wrote beside them stays. */
export async function tryMounts(site: Site): Promise<string[]> {
  const project = await site.project('mounts', { settings: { bakeSeconds: 0 } })
  const wrong: string[] = []
  const go = async (conf: string, seed: string) => {
    const { status, error } = await over(site, await site.deploy(project, files(conf, seed)), 300)
    if (status !== 'ready') throw new Error(`mounts: it is ${status} ${JSON.stringify(error)}`)
  }
  const services = [{ name: 'app', port: 8080, exposed: true }]
  const { id } = await site.upload(files('one', 'seed one'))
  const named = { projectId: project, uploadSessionId: id, services }
  const made = await site.ask('POST', '/api/deployments/build/access', named)
  const first = await over(site, made.deployment_id, 300)
  if (first.status !== 'ready') throw new Error(`mounts: it is ${first.status} ${JSON.stringify(first.error)}`)
  wrong.push(...(await differs(site, 'at first', { ...ONE, starts: 1, made: 1 })))

  const before = await tasks(site, project)
  await go('one', 'seed one')
  wrong.push(...(await differs(site, 'unchanged', { ...ONE, starts: 1, made: 1 })))
  wrong.push(...moved(before, await tasks(site, project), []))

  await go('two', 'seed one')
  wrong.push(...(await differs(site, 'another conf', { ...TWO, seed: 'seed one', starts: 2, made: 2 })))
  wrong.push(...moved(before, await tasks(site, project), ['app']))

  await go('two', 'seed two')
  wrong.push(...(await differs(site, 'another seed', { ...TWO, starts: 3, made: 3 })))
  return wrong
}

const ONE = { conf: 'one', deeper: 'one, deeper', seed: 'seed one', written: false }
const TWO = { conf: 'two', deeper: 'two, deeper', seed: 'seed two', written: false }

async function differs(site: Site, when: string, wanted: Seen): Promise<string[]> {
  let seen: Seen | undefined
  const look = async () => {
    seen = await read(site).catch(() => undefined)
    return isDeepStrictEqual(seen, wanted)
  }
  const right = await until('as it should be', 15_000, look, { everyMs: 300 }).catch(() => false)
  return right ? [] : [`mounts, ${when}: ${JSON.stringify(seen)} instead of ${JSON.stringify(wanted)}`]
}

async function read(site: Site): Promise<Seen> {
  const text = async (path: string) => {
    const { status, text } = await site.visit('mounts', path)
    return status === 200 ? text.trim() : ''
  }
  const lines = async (path: string) => (await text(path)).split('\n').filter((line) => line !== '').length
  return {
    conf: await text('/conf/app.conf'),
    deeper: await text('/conf/deep/er.conf'),
    seed: await text('/state/seed'),
    written: (await text('/written')) !== '',
    starts: await lines('/state/starts'),
    made: await lines('/made/starts'),
  }
}

const tasks = (site: Site, project: string) => onEngine({ site, project })

function moved(before: Record<string, OnEngine>, after: Record<string, OnEngine>, wanted: string[]): string[] {
  const changed = Object.keys(before).filter((name) => before[name]?.tasks.join() !== after[name]?.tasks.join())
  return changed.join() === wanted.join() ? [] : [`mounts: new containers of ${changed.join() || 'nothing'}`]
}
