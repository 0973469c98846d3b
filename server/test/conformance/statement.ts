/** A test by its file and by what `describe` and `test` say, outermost first; of `each`, the template. */
export type TestName = { file: string; name: string[] }

/** One thing that the interface says: a route, a field, a status, a permission, a refusal. In our own words. */
type Statement = {
  /** Never given to another statement, so that it can be cited. */
  id: string
  /** As docs/reference/routes.txt writes it, without the permission. */
  route?: string
  says: string
}
export type Shown = Statement & { tests: TestName[] }

/** What is served today: each of its statements has a test, and each route below `paths` a statement. */
export type BuiltArea = { title: string; paths?: string[]; statements: Shown[] }
/** What is not built yet. Once a route of it is served, its statements need tests like all others. */
export type OpenArea = { title: string; open: Statement[] }

export const inFile =
  (file: string) =>
  (...name: string[]): TestName => ({ file, name })
