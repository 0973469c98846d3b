import type { Mutation } from './mutation.ts'

const DESIGN = 'dashboard/README.md'
const WORKER = 'dashboard/src/logs/worker'

/** In logs every line once, from where the last connection was; and pages that are light. */
export const dashboard: Mutation[] = [
  {
    name: 'line-shown-twice',
    guards: `${DESIGN}: a line that comes again after a broken connection is shown once`,
    file: `${WORKER}/log-book.ts`,
    find: 'if (seq <= this.lastSeq) return false',
    replace: 'if (seq < this.lastSeq) return false',
    red: { test: `${WORKER}/log-book.test.ts`, title: 'a line that comes twice is kept once' },
  },
  {
    name: 'stream-from-the-start',
    guards: `${DESIGN}: what is here is not asked for again`,
    file: `${WORKER}/read-log.ts`,
    find: '`${source.stream}?since=${seen.seq}`',
    replace: '`${source.stream}?since=${seen.events}`',
    red: {
      test: `dashboard/test/logs/read-log.test.ts`,
      title: 'connections that break in the middle lose no line and double none',
    },
  },
  {
    name: 'every-icon-there-is',
    guards: 'bin/prove dashboard-weight: a page loads what it needs',
    file: 'dashboard/src/main.tsx',
    find: 'reloadOnOldBuild()',
    replace: `import * as icons from 'lucide-react'\nObject.assign(window, { icons })\nreloadOnOldBuild()`,
    red: {
      test: 'dashboard/test/weight.test.ts',
      title: 'a first visit to any page loads at most 300 kB of script, as it is sent',
    },
  },
]
