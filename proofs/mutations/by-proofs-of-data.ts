import type { Mutation } from './mutation.ts'

/** What proofs without a deployment notice, each at its smallest size. */
export const byProofsOfData: Mutation[] = [
  {
    name: 'hash-not-compared',
    guards: 'bin/prove upload',
    file: 'server/src/drivers/blobs/disk-blobs.ts',
    find: 'if (options.sha256 !== undefined && sha256 !== options.sha256) {',
    replace: 'if (options.sha256 !== undefined && sha256.length !== options.sha256.length) {',
    red: { prove: 'upload', says: /MISSED a wrong hash/ },
  },
  {
    name: 'half-a-character-let-in',
    guards: 'bin/prove fuzz-api',
    file: 'server/src/http/storable.ts',
    find: "value.includes('\\0') || !value.isWellFormed()",
    replace: "value.includes('\\0')",
    red: {
      prove: 'fuzz-api',
      says: /= "[^"]*\\ud[89a-f].*\(\d+\): /,
      sizes: { SLIPWAY_FUZZ_RUNS: '8', SLIPWAY_FUZZ_SEED: '1551395865' },
    },
  },
  {
    name: 'all-renewed-in-one-hour',
    guards: 'bin/prove tls-scale',
    file: 'server/src/core/certificates/plan.ts',
    find: 'const PACED_RENEWALS = (RENEWALS * PACE_MS) / ORDER_WINDOW_MS\n',
    replace: 'const PACED_RENEWALS = RENEWALS * PACE_MS\n',
    red: {
      prove: 'tls-scale',
      says: /busiestHour":(1[5-9]\d|[2-9]\d\d)/,
      sizes: { SLIPWAY_PROOF_NAMES: '50', SLIPWAY_PROOF_HANDSHAKES: '100' },
    },
  },
  {
    name: 'empty-is-not-a-default',
    guards: 'bin/prove compose-oracle',
    file: 'server/src/core/compose/variables/interpolate.ts',
    find: "operator.startsWith(':') ? value !== undefined && value !== '' : value !== undefined",
    replace: 'value !== undefined',
    red: { prove: 'compose-oracle', says: /^(equal|refused) / },
  },
  {
    name: 'go-on-another-port',
    guards: 'bin/prove detect',
    file: 'server/src/core/build/stacks/go.ts',
    find: 'const port = (await portOf(look, main.path)) ?? PORT',
    replace: 'const port = PORT',
    red: { prove: 'detect', says: /^ {2}go/ },
  },
  {
    name: 'key-stretched-at-every-start',
    guards: 'bin/prove idle',
    file: 'server/src/drivers/crypto/key-ring.ts',
    find: '[keyId(key), createSecretKey(key)]',
    replace:
      "[keyId(key), createSecretKey(process.getBuiltinModule('node:crypto').scryptSync(key, 'slipway', 32, { N: 2 ** 20, maxmem: 2 ** 31 }))]",
    red: { prove: 'idle', says: /MISSED idle/ },
  },
  {
    name: 'database-migrated-for-each-test',
    guards: 'bin/prove fresh-database',
    file: 'server/test/database.ts',
    find: "  const template = options.migrated === false ? 'template0' : process.env.SLIPWAY_TEST_TEMPLATE\n  await asAdmin((client) => client.query(`create database ${name} template ${template}`))\n  const url = databaseUrl(name)\n  const open = openDatabase({ url, connections: 10, onError: () => {} })\n",
    replace:
      '  await asAdmin((client) => client.query(`create database ${name} template template0`))\n  const url = databaseUrl(name)\n  const open = openDatabase({ url, connections: 10, onError: () => {} })\n  if (options.migrated !== false) await migrate(open.db)\n',
    red: { prove: 'fresh-database', says: /MISSED fresh-database: median [1-9]\d{2,} ms/ },
  },
  {
    name: 'another-text-of-the-same-bytes',
    guards: 'bin/prove seal',
    file: 'server/src/drivers/crypto/key-ring.ts',
    find: "if (more || bytes.toString('base64url') !== payload) throw new Error('A sealed value was changed.')",
    replace: "if (more) throw new Error('A sealed value was changed.')",
    red: { prove: 'seal', says: /WRONG .*moved, flipped, shortened/, sizes: { SLIPWAY_SEAL_VALUES: '3000' } },
  },
  {
    name: 'half-written-files-stay',
    guards: 'bin/prove storage',
    file: 'server/src/drivers/storage/files/walk.ts',
    find: 'if (found && found.modifiedAt < olderThan) yield path',
    replace: 'if (found && found.modifiedAt > olderThan) yield path',
    red: {
      prove: 'storage',
      says: /MISSED .*[1-9]\d* orphans left/,
      sizes: { STORAGE_KINDS: 'local', STORAGE_GIB: '0.1', STORAGE_CUTS: '3', STORAGE_OBJECTS: '2000' },
    },
  },
  {
    name: 'old-secret-refused-at-once',
    guards: 'bin/prove githost-rotate',
    file: 'server/src/core/githost/push/receive.ts',
    find: '  return old ? [current, old] : [current]\n',
    replace: '  return old ? [old] : [current]\n',
    red: {
      prove: 'githost-rotate',
      says: /a delivery was answered with 401/,
      sizes: { SLIPWAY_ROTATE_PUSHES: '60' },
    },
  },
  {
    name: 'outage-read-as-not-found',
    guards: 'bin/prove githost',
    file: 'server/src/drivers/githost/explain.ts',
    find: 'if (status === 404 || status === 410) return',
    replace: 'if (status === 404 || status >= 500) return',
    red: { prove: 'githost', says: /^ {2}WRONG / },
  },
]
