/** A deployment as the API tells of one. */
export const deployment = (more: Record<string, unknown> = {}) => ({
  id: 'dep_2',
  projectId: 'prj_1',
  number: 2,
  status: 'ready',
  decision: null,
  active: false,
  pinned: false,
  trigger: 'upload',
  source: { kind: 'upload' },
  urls: ['https://shop.example.com'],
  services: [
    { name: 'web', status: 'healthy', image: 'shop', digest: null, previousDigest: null, replicas: 1, error: null },
  ],
  timing: {
    createdAt: '2026-01-31T12:00:00.000Z',
    startedAt: '2026-01-31T12:00:01.000Z',
    builtAt: null,
    finishedAt: '2026-01-31T12:00:34.000Z',
    queuedMs: 1000,
    buildMs: null,
    deployMs: null,
  },
  steps: [],
  waitingOn: null,
  error: null,
  createdBy: { kind: 'user', name: 'ada' },
  actions: {},
  ...more,
})

export const project = {
  id: 'prj_1',
  name: 'shop',
  repository: null,
  updatedAt: '2026-01-31T12:00:00.000Z',
  serverId: null,
}
