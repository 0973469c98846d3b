import type { Mutation } from './mutation.ts'

const PLANS = 'setup/plan/plan.test.ts'
const ARCHIVES = 'setup/backup/archive.test.ts'

/** How the platform comes to a machine, is replaced there, and goes. */
export const installing: Mutation[] = [
  {
    name: 'half-made-cluster-kept',
    guards: 'bin/prove install: installations that were killed in the middle end right',
    file: 'setup/plan/install.ts',
    find: 'installed.cluster !== null && !installed.cluster.whole',
    replace: 'false',
    red: {
      test: PLANS,
      title: 'a cluster that was cut off while it was made is made anew; one that the settings name never is',
    },
  },
  {
    name: 'settings-written-again',
    guards: 'docs/how-to/install.md: the same command again changes what --set says, and nothing else',
    file: 'setup/plan/install.ts',
    find: '([name]) => had[name] === undefined',
    replace: "([name]) => name !== ''",
    red: { test: PLANS, title: 'the keys of an installation are never written again, whatever is asked for' },
  },
  {
    name: 'old-version-ends-alone',
    guards: 'bin/prove upgrade: the new one is up before the old one ends',
    file: 'setup/plan/upgrade.ts',
    find: '[running.includes(version), from === version]',
    replace: '[true, from === version]',
    red: {
      test: PLANS,
      title: 'an upgrade has the new one up before the old one ends, and everything backed up before',
    },
  },
  {
    name: 'archive-without-an-end',
    guards: 'bin/prove move: a damaged backup is found before it is needed',
    file: 'setup/backup/sealed.ts',
    find: 'rest[4] = last ? 1 : 0',
    replace: 'rest[4] = 0',
    red: { test: ARCHIVES, title: 'an archive that was changed or cut is noticed' },
  },
  {
    name: 'pieces-without-a-number',
    guards: 'docs/decisions/0051-an-archive-under-systemd.md: nothing can be exchanged unnoticed',
    file: 'setup/backup/sealed.ts',
    find: 'rest.writeUInt32BE(number)',
    replace: 'rest.writeUInt32BE(0)',
    red: { test: ARCHIVES, title: 'an archive that was changed or cut is noticed' },
  },
  {
    name: 'everything-always-removed',
    guards: 'bin/prove uninstall: what was deployed keeps running',
    file: 'setup/plan/uninstall.ts',
    find: 'everything && engine.answers',
    replace: 'engine.answers',
    red: { test: PLANS, title: 'uninstalling leaves what was deployed, the database and the keys' },
  },
]
