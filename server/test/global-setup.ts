import { createTemplate, dropDatabase } from './database.ts'

/** Once per run: a migrated template database that every test file copies. Workers find its name in the environment. */
export async function setup(): Promise<() => Promise<unknown>> {
  const template = await createTemplate()
  process.env.SLIPWAY_TEST_TEMPLATE = template
  return () => dropDatabase(template)
}
