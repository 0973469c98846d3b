import { createTemplate, dropDatabase } from './database.ts'

/**
 * Once per run: a migrated template database that every test file copies. Workers find its name in the environment, and so does the
 * second kind of tests that wants one.
 */
export async function setup(): Promise<(() => Promise<unknown>) | undefined> {
  if (process.env.SLIPWAY_TEST_TEMPLATE !== undefined) return
  const template = await createTemplate()
  process.env.SLIPWAY_TEST_TEMPLATE = template
  return () => dropDatabase(template)
}
