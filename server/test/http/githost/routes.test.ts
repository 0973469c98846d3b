import { expect, test } from 'vitest'
import { ROWS } from '../../../../test-kit/interface-routes.ts'
import { startWorld } from '../../../../test-kit/world.ts'

const wanted = ROWS.filter(({ path }) => path.startsWith('/api/githost/')).map(
  ({ method, path, permission }) => `${method} ${path} ${permission}`,
)

/** Our own, which the interface leaves open: what the host sends, and what became of it. */
const isOurs = (line: string) => /^\w+ \/api\/githost\/(webhook|deliveries|rules|app)\b/.test(line)

test('the routes of the git host are those of the interface, each with its permission', async () => {
  const { app } = await startWorld()
  const served = app.endpoints
    .filter(({ path }) => path.startsWith('/api/githost/'))
    .map(({ method, path, access }) => `${method} ${path} ${'permission' in access ? access.permission : 'public'}`)
  expect(served.filter((line) => !isOurs(line)).sort()).toEqual(wanted.toSorted())
})
