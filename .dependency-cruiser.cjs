// The direction table of ARCHITECTURE.md as rules: which room may import which.

/**
 * The floors of core, from the ground: a noun imports only nouns of lower floors, types included, so that circles between nouns cannot
 * be (docs/decisions/0047-floors-of-core.md). What stands in `core` and has no floor here is an error.
 */
const FLOORS = [
  ['parts.ts', 'page.ts', 'semaphore.ts', 'row-version.ts', 'fair-share.ts', 'single-flight.ts', 'batches.ts'],
  ['audit', 'sealing', 'networks', 'instance', 'mail'],
  ['access', 'limits'],
  ['members', 'servers', 'uploads', 'idempotency'],
  ['projects'],
  ['domains', 'tokens', 'grants', 'registries'],
  ['deployments'],
  ['githost', 'backups', 'migration', 'operator', 'operations', 'cloud'],
  // All parts joined, for http and process alone.
  ['platform.ts'],
]

/** The same inside core/deployments, by sub-noun: what several of them need stands at the bottom, what the API asks for at the top. */
const DEPLOYMENTS = [
  ['rows'],
  ['events'],
  ['parts.ts'],
  ['deploy-context.ts'],
  ['blueprint'],
  ['release', 'routes'],
  ['converge'],
  ['rollout', 'watch'],
  ['story'],
  ['verbs'],
]

const not = (name, from, to, more = {}) => ({
  name,
  severity: 'error',
  from: { path: from, ...more.from },
  to: { path: to, ...more.to },
})

const alternatives = (nouns) => nouns.map((noun) => noun.replaceAll('.', '\\.')).join('|')

/** A rule per noun of a folder, and one for what stands there without a floor. */
function floorsOf(folder, floors, name, unknown) {
  const within = (nouns) => `^${folder}/(${alternatives(nouns)})(/|$)`
  const rules = floors.flatMap((nouns, floor) =>
    nouns.map((noun) => {
      const others = floors.slice(floor).flat()
      const forbidden = within(others.filter((other) => other !== noun))
      return not(`${name}-${noun}`, within([noun]), forbidden, { from: { pathNot: '\\.test\\.ts$' } })
    }),
  )
  const without = `^${folder}/(?!(${alternatives(floors.flat())})(/|$))[^/]+(/|\\.ts$)`
  return [
    ...rules.filter(({ to }) => to.path !== within([])),
    not(unknown, without, '.', { from: { pathNot: '\\.test\\.ts$' } }),
    not(unknown, '.', without),
  ]
}

module.exports = {
  forbidden: [
    ...floorsOf('server/src/core', FLOORS, 'floors-of-core', 'every-noun-of-core-has-a-floor'),
    ...floorsOf(
      'server/src/core/deployments',
      DEPLOYMENTS,
      'floors-of-deployments',
      'every-noun-of-deployments-has-a-floor',
    ),
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    not('contract-knows-only-zod', '^contract/src', '^(server|cli|dashboard|lab|proofs|test-kit)/'),
    {
      name: 'contract-imports-only-the-schema-library',
      severity: 'error',
      from: { path: '^contract/src', pathNot: '\\.test\\.ts$' },
      to: {
        dependencyTypes: ['npm', 'npm-dev', 'npm-no-pkg', 'npm-unknown', 'npm-peer', 'npm-optional', 'core'],
        pathNot: 'node_modules/zod',
      },
    },
    not('http-is-only-http', '^server/src/http', '^server/src/(drivers|db|jobs|source)/'),
    not('source-is-pure', '^server/src/source', '^server/src/(?!source/|errors\\.ts)', {
      from: { pathNot: '\\.test\\.ts$' },
    }),
    not('core-knows-no-http', '^server/src/core', '^server/src/http/'),
    not('core-knows-drivers-as-types-only', '^server/src/core', '^server/src/drivers/', {
      from: { pathNot: '\\.test\\.ts$' },
      to: { dependencyTypesNot: ['type-only'] },
    }),
    not('core-only-enqueues', '^server/src/core', '^server/src/jobs/(?!enqueue|steps)'),
    not('jobs-are-ignorant', '^server/src/jobs', '^server/src/(core|drivers|http|source)/'),
    not('drivers-are-leaves', '^server/src/drivers', '^server/src/(core|http|jobs|db|source)/'),
    not(
      'drivers-share-only-ssh-and-engine',
      '^server/src/drivers/([^/]+)/',
      '^server/src/drivers/(?!ssh/|engine/)([^/]+)/',
      { to: { pathNot: '^server/src/drivers/$1/' } },
    ),
    not('ssh-knows-no-engine', '^server/src/drivers/ssh/', '^server/src/drivers/(?!ssh/)'),
    not('db-is-a-leaf', '^server/src/db', '^server/src/(?!db/)'),
    // v8-heap.ts knows nothing of the house; drivers tell it of buffers that they have done with.
    not(
      'nobody-imports-the-process',
      '^server/src/(http|core|source|jobs|drivers|db)/',
      '^server/src/(process/(?!v8-heap\\.ts)|(main|serve|admin|admin-instance)\\.ts$)',
      { from: { pathNot: '\\.test\\.ts$' } },
    ),
    not('only-drivers-tell-of-buffers', '^server/src/(http|core|source|jobs|db)/', '^server/src/process/v8-heap\\.ts$'),
    {
      name: 'setup-needs-nothing-but-node',
      severity: 'error',
      from: { path: '^setup/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: '^setup/', dependencyTypesNot: ['core'] },
    },
    not('nobody-imports-the-setup', '^(contract|server|cli)/', '^setup/'),
    not('clients-know-only-the-contract', '^(cli|dashboard)/src', '^(server|setup|tools|lab|proofs|test-kit)/'),
    not('clients-know-nothing-of-each-other', '^(cli|dashboard)/', '^(cli|dashboard)/', { to: { pathNot: '^$1/' } }),
    not('nobody-imports-the-dashboard', '^(contract|server|cli|setup)/', '^dashboard/'),
    // One library of primitives, and two folders that know it: what a page is made of is ours. main.tsx tells it of the policy.
    not('only-ui-and-shell-know-the-primitives', '^dashboard/src/(?!ui/|shell/|main\\.tsx$)', 'node_modules/@base-ui/'),
    not(
      'one-library-of-primitives',
      '^dashboard/',
      'node_modules/(@radix-ui|@headlessui|@ariakit|react-aria|@mui|cmdk|sonner)(/|$)',
    ),
    not('ui-knows-no-nouns', '^dashboard/src/ui/', '^dashboard/src/(?!ui/|api/)'),
    not('api-knows-no-pages', '^dashboard/src/api/', '^dashboard/src/(?!api/)'),
    not('logs-know-no-deployments', '^dashboard/src/logs/', '^dashboard/src/(?!logs/|ui/|api/)'),
    not(
      'product-imports-no-test-parts',
      '^(contract|server|cli|dashboard)/src',
      '^(lab|proofs|test-kit|server/test)/',
      {
        from: { pathNot: '\\.test\\.ts$' },
      },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: {
      conditionNames: ['slipway-source', 'import', 'node', 'default'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.tsx', '.js', '.cjs', '.json'],
    },
  },
}
