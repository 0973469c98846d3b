import type { Mutation } from './mutation.ts'

const MODEL = 'docs/explanation/security-model.md'
const SCALE = 'docs/explanation/data-and-scale.md'
const JOBS = 'server/test/jobs'
const REDACT = 'server/src/core/deployments/events/redact.test.ts'

/** Durable runs, what they tell, and whose turn it is. */
export const runs: Mutation[] = [
  {
    name: 'fence-without-its-claim',
    guards: `${MODEL}: every write of a run carries a fence and a random claim`,
    file: 'server/src/jobs/fenced.ts',
    find: "      .where('claim', '=', claim)\n",
    replace: '',
    red: {
      test: `${JOBS}/fenced.test.ts`,
      title: 'two owners with the same fence after a failover: only the one that the database knows writes',
    },
  },
  {
    name: 'fence-not-checked',
    guards: `${MODEL}: after a takeover every write is refused`,
    file: 'server/src/jobs/fenced.ts',
    find: "      .where('fence', '=', fence)\n      .where('claim', '=', claim)\n",
    replace: '',
    red: { test: `${JOBS}/fenced.test.ts`, title: 'after a takeover every write is refused' },
  },
  {
    name: 'locks-of-the-stopped',
    guards: 'bin/prove crash: what a stopped process holds keeps nobody from taking over',
    file: 'server/src/db/database.ts',
    find: 'idle_in_transaction_session_timeout: SILENT_TRANSACTION_MS',
    replace: 'idle_in_transaction_session_timeout: 60_000',
    red: {
      test: `${JOBS}/faults.test.ts`,
      title: 'stopped in a transaction of any kind, it keeps its locks no longer than it passes for alive',
    },
  },
  {
    name: 'left-for-a-minute',
    guards: 'bin/prove crash: what a failed deployment left is gone soon after',
    file: 'server/src/core/deployments/converge/settle-store.ts',
    find: "then interval '10 seconds'",
    replace: "then interval '1 minute'",
    red: {
      test: 'server/test/db/due-projects.test.ts',
      title: 'what still ends is looked at again after ten seconds, and after five minutes once a minute',
    },
  },
  {
    name: 'left-while-it-deploys',
    guards: 'bin/prove crash: what a failed deployment left is gone soon after',
    file: 'server/src/core/deployments/converge/settle-store.ts',
    find: "and (kind = 'settle' or status = 'parked'))",
    replace: ')',
    red: {
      test: 'server/test/db/due-projects.test.ts',
      title: 'a project that deploys all the time is due as well, unless somebody sees to it or a decision is awaited',
    },
  },
  {
    name: 'interruption-until-the-next-look',
    guards: 'bin/prove volumes: an interruption is told as long as it was',
    file: 'server/src/core/deployments/rollout/interruption.ts',
    find: '!cameUp && upMs !== null ? Math.min(seen, upMs) : seen',
    replace: 'seen',
    red: {
      test: 'server/src/core/deployments/rollout/interruption.test.ts',
      title: 'as long as the engine says where we heard of it later',
    },
  },
  {
    name: 'relapse-as-short-as-the-start',
    guards: 'bin/prove volumes: an interruption is told as long as it was',
    file: 'server/src/core/deployments/rollout/interruption.ts',
    find: 'sum += !cameUp && upMs',
    replace: 'sum += upMs',
    red: {
      test: 'server/src/core/deployments/rollout/interruption.test.ts',
      title: 'of a relapse alone as long as it was seen: the engine tells how long the first start took',
    },
  },
  {
    name: 'lost-line-ends-a-rollout',
    guards: 'bin/prove over-ssh: a line that is cut ends no deployment',
    file: 'server/src/core/deployments/converge/execute.ts',
    find: 'return patiently(options.signal, () => onService(working, one, options)).catch(',
    replace: 'return onService(working, one, options).catch(',
    red: {
      test: 'server/src/core/deployments/converge/execute.test.ts',
      title: 'an operation whose line was lost is done again before anybody calls it failed',
    },
  },
  {
    name: 'lost-answer-written-twice',
    guards: 'bin/prove crash: each write of a run happens exactly once',
    file: 'server/src/jobs/fenced.ts',
    find: '          if (tried && (await this.#wasCommitted(tx))) return tried\n',
    replace: '',
    red: {
      test: `${JOBS}/fenced.test.ts`,
      title: 'a commit whose answer is lost is not written twice, and returns what it returned',
    },
  },
  {
    name: 'line-told-twice',
    guards: 'docs/reference/cli.md: logs -f tells each line once, also when its connection was cut',
    file: 'cli/src/follow/runtime-logs.ts',
    find: '        last = event.id || last\n',
    replace: '',
    red: {
      test: 'cli/src/follow/runtime-logs.test.ts',
      title: 'logs -f goes on behind the last line when it is cut, and says when another release prints',
    },
  },
  {
    name: 'success-over-a-cancel',
    guards: 'bin/prove cancel: an accepted cancel wins over success',
    file: 'server/src/jobs/fenced.ts',
    find: "const succeeds = change.status === 'succeeded'",
    replace: "const succeeds = change.status === 'superseded'",
    red: { test: `${JOBS}/fenced.test.ts`, title: 'an accepted cancel forbids parking and success, and nothing else' },
  },
  {
    name: 'one-more-than-the-limit',
    guards: `${MODEL}: steps of two projects never run at the same time on one engine`,
    file: 'server/src/jobs/limit.ts',
    find: 'greatest(0, max(most) - count(*) filter (where held))',
    replace: 'greatest(0, max(most) + 1 - count(*) filter (where held))',
    red: {
      test: `${JOBS}/limit.test.ts`,
      title: 'never more than n runs hold a name at once, over all workers, and all get their turn in order',
    },
  },
  {
    name: 'first-come-takes-all',
    guards: `${MODEL}: long or many runs of one organization have a place in line`,
    file: 'server/src/jobs/place-in-line.ts',
    find: ' + head.before * BEHIND_EACH_STEPS\n',
    replace: '\n',
    red: {
      test: `${JOBS}/fair.test.ts`,
      title: 'who comes with one run comes before the second of who came with twenty',
    },
  },
  {
    name: 'share-of-no-organization',
    guards: `${MODEL}: each organization has its part of the workers however much another one asks for`,
    file: 'server/src/jobs/place-in-line.ts',
    find: "group: head.several ? `${head.orgId}${head.urgency > URGENCY.usual ? ' urgent' : ''}` : null",
    replace: 'group: null',
    red: {
      test: `${JOBS}/fair.test.ts`,
      title: 'long runs of one organization leave places to every other, over all workers',
    },
  },
  {
    name: 'answer-to-anothers-gate',
    guards: `${MODEL}: every row is looked up with its organization`,
    file: 'server/src/jobs/enqueue.ts',
    find: "where id = ${id} and org_id = ${orgId} and status = 'parked' and gate = ${gate} returning lane",
    replace: "where id = ${id} and status = 'parked' and gate = ${gate} returning lane",
    red: {
      test: `${JOBS}/runs.test.ts`,
      title: 'a gate is answered once, by its own organization, when it waits, and holds no job meanwhile',
    },
  },
  {
    name: 'running-superseded',
    guards: 'bin/prove queue: of many deployments at once the newest wins, and none is lost',
    file: 'server/src/jobs/enqueue.ts',
    find: "and lane = ${lane} and status = 'queued' and kind = any(${kinds})",
    replace: "and lane = ${lane} and status in ('queued', 'running') and kind = any(${kinds})",
    red: {
      test: `${JOBS}/runs.test.ts`,
      title: 'a run that is under way is superseded by nobody, and goes on to its end',
    },
  },
  {
    name: 'lease-without-its-claim',
    guards: `${MODEL}: a database whose history becomes another one makes all workers begin anew`,
    file: 'server/src/jobs/schedule.ts',
    find: "    .where('fence', '=', fence)\n    .where('claim', '=', claim)\n    .executeTakeFirst()",
    replace: "    .where('fence', '=', fence)\n    .executeTakeFirst()",
    red: {
      test: `${JOBS}/schedule.test.ts`,
      title: 'a lease that a failover gave away again with the same fence is lost to whoever had it first',
    },
  },
  {
    name: 'batch-stored-twice',
    guards: 'bin/prove stream: every event once and in order',
    file: 'server/src/core/deployments/events/events.ts',
    find: 'const found = batch.tried && first ? await findStored(db, id, this.#seq, first) : 0',
    replace: 'const found = 0 as number',
    red: {
      test: 'server/test/deployments/events.test.ts',
      title: 'stores a batch once when the answer to its commit gets lost',
    },
  },
  {
    name: 'events-of-a-former-owner',
    guards: `${MODEL}: every write of a run carries a fence and a random claim`,
    file: 'server/src/core/deployments/events/events-store.ts',
    find: 'run.fence = ${fence?.fence ?? 0} and run.claim = ${fence?.claim ?? null}',
    replace: 'run.fence >= ${fence?.fence ?? 0}',
    red: {
      test: 'server/test/deployments/events.test.ts',
      title: 'stops, and says so, when the run is another owner’s',
    },
  },
  {
    name: 'news-missed-while-reading',
    guards: 'bin/prove stream: whoever follows a deployment sees every event',
    file: 'server/src/core/deployments/events/feed.ts',
    find: '      this.#hinted = true\n      this.#refresh()\n',
    replace: '      if (!this.#running) this.#hinted = true\n      this.#refresh()\n',
    red: {
      test: 'server/test/deployments/stream.test.ts',
      title: 'that come while the feed reads are read at once, not at its next look',
    },
  },
  {
    name: 'whole-page-to-who-is-in-the-middle',
    guards: 'bin/prove stream: every event once and in order, from any point',
    file: 'server/src/core/deployments/events/feed.ts',
    find: 'yield rest(page, seen)',
    replace: 'yield page.bytes',
    red: {
      test: 'server/test/deployments/stream.test.ts',
      title: 'who come at any time and from any point see the same, whole and in order',
    },
  },
  {
    name: 'no-backpressure',
    guards: `${SCALE}: bounded memory: whoever prints too much waits`,
    file: 'server/src/core/deployments/events/events.ts',
    find: 'while (this.#batches.length >= MOST_BATCHES && !signal?.aborted) {',
    replace: 'while (this.#batches.length >= MOST_BATCHES * BATCH_EVENTS && !signal?.aborted) {',
    red: {
      test: 'server/test/deployments/events.test.ts',
      title: 'makes whoever produces too much wait, and nobody else',
    },
  },
  {
    name: 'secret-moves-up-into-the-line',
    guards: `${MODEL}: what a build prints is cleared of all values before it is stored or shown`,
    file: 'server/src/core/deployments/events/line.ts',
    find: 'judged.slice(0, Math.min(MOST_CHARACTERS, judged.length - BEYOND))',
    replace: 'judged.slice(0, MOST_CHARACTERS)',
    red: {
      test: 'server/src/core/deployments/events/line.test.ts',
      title: 'what moves up into a line for masks that are shorter than secrets is no part of one',
    },
  },
  {
    name: 'encoded-secret-shown',
    guards: `${MODEL}: values are masked plain or encoded`,
    file: 'server/src/core/deployments/events/redact/forms.ts',
    find: "    bytes.toString('hex'),\n",
    replace: '',
    red: { test: REDACT, title: 'a secret printed' },
  },
  {
    name: 'coloured-secret-shown',
    guards: `${MODEL}: also with colours or control characters in between`,
    file: 'server/src/core/deployments/events/redact.ts',
    find: 'const ranges = visible ? union(found, known.find(visible.text), visible.origin) : found',
    replace: 'const ranges = found.length === 0 && visible ? [] : found',
    red: {
      test: 'server/test/deployments/running-logs.test.ts',
      title: 'what lies in a secret file of a compose project is not shown, though a colour stands in it',
    },
  },
]
