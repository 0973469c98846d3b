import { expect, test } from 'vitest'
import { readFlags } from '../flags.ts'
import { ENGINE, facts, INSTALLED, SETTINGS } from '../test/facts.ts'
import { planBackup } from './backup.ts'
import { planInstall } from './install.ts'
import { planRestore } from './restore.ts'
import type { Step } from './step.ts'
import { planUninstall } from './uninstall.ts'
import { planDowngrade, planUpgrade } from './upgrade.ts'

const flags = (...argv: string[]) => {
  const read = readFlags(['install', '--email', 'you@example.com', ...argv], {})
  if (read === 'help') throw new Error('no flags')
  return read
}
const names = (steps: Step[]) => steps.map(({ act }) => act.do)
const only = (steps: Step[], name: Step['act']['do']) => steps.find(({ act }) => act.do === name)?.act

test('a clean machine gets everything, and becomes the one that starts with it last', () => {
  expect(names(planInstall(facts(), flags(), '1.0.0'))).toEqual([
    'packages',
    'user',
    'cluster',
    'swarm',
    'files',
    'settings',
    'passphrase',
    'units',
    'start',
    'owner',
    'server',
    'switch',
  ])
})

test('packages are those that the distribution has, and only those that are missing', () => {
  const of = (change: Parameters<typeof facts>[0], ...argv: string[]) =>
    only(planInstall(facts(change), flags(...argv), '1.0.0'), 'packages')
  const bookworm = { os: { id: 'debian', version: '12', name: 'Debian 12' } }
  expect(of({})).toMatchObject({
    names: ['docker.io', 'docker-cli', 'docker-buildx', 'git', 'postgresql'],
    noMainCluster: true,
  })
  expect(of({ system: bookworm }, '--offline', '/media')).toMatchObject({ names: ['docker.io', 'git', 'postgresql'] })
  expect(of({ engine: ENGINE, installed: { programs: { git: true, clusters: true } } })).toBeUndefined()
  expect(of({ engine: ENGINE }, '--database-url', 'postgres://db/slipway')).toMatchObject({
    names: ['git'],
    noMainCluster: false,
  })
})

test('what is there already is left out, and nothing of an engine that others use is changed', () => {
  const steps = planInstall(facts({ engine: ENGINE, installed: INSTALLED }), flags(), '1.0.0')
  expect(names(steps)).toEqual(['units', 'server'])
})

test('settings that are changed hold at once: the version that runs starts anew with them, and with nothing changed it does not', () => {
  const of = (installed: Partial<typeof INSTALLED>, ...argv: string[]) =>
    planInstall(facts({ engine: ENGINE, installed: { ...INSTALLED, ...installed } }), flags(...argv), '1.0.0')
  const changed = of({}, '--base-domain', 'apps.example.com')
  expect(names(changed)).toEqual(['settings', 'units', 'restart', 'server'])
  expect(only(changed, 'settings')).toEqual({
    do: 'settings',
    values: { SLIPWAY_BASE_DOMAIN: 'apps.example.com' },
  })
  const settings = { ...SETTINGS, SLIPWAY_BASE_DOMAIN: 'apps.example.com' }
  expect(names(of({ settings }, '--base-domain', 'apps.example.com'))).toEqual(['units', 'server'])
  expect(only(of({ settings }, '--base-domain', 'other.example.com'), 'settings')).toMatchObject({
    values: { SLIPWAY_BASE_DOMAIN: 'other.example.com' },
  })
  // Written, and then it was cut off.
  expect(names(of({ settingsAreNewer: true }))).toEqual(['units', 'restart', 'server'])
  expect(names(of({ running: [] }, '--base-domain', 'apps.example.com'))).toEqual([
    'settings',
    'units',
    'start',
    'server',
  ])
})

test('a cluster that was cut off while it was made is made anew; one that the settings name never is', () => {
  const half = { cluster: { major: '17', whole: false } }
  expect(only(planInstall(facts({ installed: half }), flags(), '1.0.0'), 'cluster')).toEqual({
    do: 'cluster',
    anew: true,
  })
  expect(
    only(planInstall(facts({ installed: { ...half, settings: SETTINGS } }), flags(), '1.0.0'), 'cluster'),
  ).toBeUndefined()
})

test('the keys of an installation are never written again, whatever is asked for', () => {
  const steps = planInstall(
    facts({ engine: ENGINE, installed: INSTALLED }),
    flags('--http-port', '8080', '--set', 'SLIPWAY_LOG_LEVEL=debug'),
    '1.0.0',
  )
  expect(only(steps, 'settings')).toEqual({ do: 'settings', values: { SLIPWAY_LOG_LEVEL: 'debug' } })
})

test('a machine inside of the networks that Swarm would take gets others', () => {
  const inside = facts({ system: { addresses: ['10.0.3.7'] } })
  expect(only(planInstall(inside, flags(), '1.0.0'), 'swarm')).toEqual({
    do: 'swarm',
    address: '127.0.0.1',
    pool: '172.28.0.0/14',
  })
  expect(only(planInstall(facts(), flags(), '1.0.0'), 'swarm')).toEqual({
    do: 'swarm',
    address: '127.0.0.1',
    pool: null,
  })
})

test('an upgrade has the new one up before the old one ends, and everything backed up before', () => {
  const seen = names(planUpgrade(facts({ installed: INSTALLED }), '1.1.0'))
  expect(seen).toEqual(['backup', 'files', 'units', 'start', 'switch', 'stop', 'forget-versions'])
})

test('an upgrade that ended in the middle goes on from there', () => {
  const begun = { ...INSTALLED, versions: ['1.0.0', '1.1.0'], running: ['1.0.0', '1.1.0'] }
  expect(names(planUpgrade(facts({ installed: begun }), '1.1.0'))).toEqual([
    'backup',
    'units',
    'switch',
    'stop',
    'forget-versions',
  ])
  const switched = { ...begun, version: '1.1.0' }
  expect(names(planUpgrade(facts({ installed: switched }), '1.1.0'))).toEqual(['units', 'stop', 'forget-versions'])
  const done = { ...switched, running: ['1.1.0'] }
  expect(planUpgrade(facts({ installed: done }), '1.1.0')).toEqual([])
})

test('a way back starts the old one beside the new one', () => {
  const both = { ...INSTALLED, version: '1.1.0', versions: ['1.0.0', '1.1.0'], running: ['1.1.0'] }
  expect(names(planDowngrade(facts({ installed: both }), '1.0.0'))).toEqual(['start', 'switch', 'stop'])
})

test('a backup is sent to the destination that is named, or to that of every night', () => {
  const planned = (settings: Record<string, string>, ...argv: string[]) => {
    const asked = readFlags(['backup', ...argv], {})
    if (asked === 'help') throw new Error('no flags')
    return planBackup(facts({ installed: { ...INSTALLED, settings } }), asked, '/b.slipway')
  }
  const usual = { SLIPWAY_BACKUP_DESTINATION: 'dst_1' }
  expect(names(planned({}))).toEqual(['backup'])
  expect(names(planned({ SLIPWAY_BACKUP_DESTINATION: '' }))).toEqual(['backup'])
  expect(only(planned(usual), 'send')).toEqual({ do: 'send', destination: 'dst_1' })
  expect(only(planned(usual, '--destination', 'dst_2'), 'send')).toEqual({ do: 'send', destination: 'dst_2' })
  expect(names(planned(usual, 'mine.slipway'))).toEqual(['backup'])
  expect(only(planned({}, 'mine.slipway', '--destination', 'dst_2'), 'send')).toEqual({
    do: 'send',
    destination: 'dst_2',
  })
  // It is relied on only after it was sent there once.
  const chosen = planned(usual, '--destination', 'dst_2', '--nightly')
  expect(names(chosen)).toEqual(['backup', 'send', 'settings'])
  expect(only(chosen, 'settings')).toEqual({ do: 'settings', values: { SLIPWAY_BACKUP_DESTINATION: 'dst_2' } })
  expect(() => planned(usual, '--nightly')).toThrow('--nightly goes with --destination')
})

test('a backup is read to its end before anything is changed', () => {
  const seen = names(planRestore(facts({ installed: INSTALLED }), '/media/backup.slipway'))
  expect(seen).toEqual(['read-back', 'restore-database', 'restore-data', 'adopt', 'start'])
})

test('uninstalling leaves what was deployed, the database and the keys', () => {
  expect(names(planUninstall(facts({ engine: ENGINE, installed: INSTALLED }), false))).toEqual([
    'end',
    'remove-units',
    'remove-program',
  ])
})

test('everything is removed only when everything was said, by the mark of this installation', () => {
  const steps = planUninstall(
    facts({ engine: ENGINE, installed: { ...INSTALLED, settings: { SLIPWAY_INSTANCE: 'blue' } } }),
    true,
  )
  expect(names(steps)).toEqual([
    'end',
    'remove-services',
    'remove-units',
    'remove-cluster',
    'remove-data',
    'remove-user',
    'remove-program',
  ])
  expect(only(steps, 'remove-services')).toEqual({ do: 'remove-services', instance: 'blue' })
})

test('the platform’s own name is written as its address, also into settings that are there', () => {
  const of = (change: Parameters<typeof facts>[0], ...argv: string[]) =>
    only(planInstall(facts(change), flags(...argv), '1.0.0'), 'settings')
  const named = { SLIPWAY_PUBLIC_URL: 'https://slipway.example.com' }
  expect(of({}, '--domain', 'slipway.example.com')).toMatchObject({
    values: { ...named, SLIPWAY_PLATFORM_SOCKET: '/run/slipway/http.sock' },
  })
  expect(of({ engine: ENGINE, installed: INSTALLED }, '--domain', 'slipway.example.com')).toEqual({
    do: 'settings',
    values: named,
  })
})

test('behind another proxy, addresses have the ports of that one', () => {
  const settings = only(planInstall(facts({ listeners: { 80: 'nginx' } }), flags(), '1.0.0'), 'settings')
  expect(settings).toMatchObject({
    values: {
      SLIPWAY_EDGE_HTTP_PORT: '8080',
      SLIPWAY_EDGE_PUBLIC_HTTP_PORT: '80',
      SLIPWAY_EDGE_PUBLIC_HTTPS_PORT: '443',
    },
  })
})
