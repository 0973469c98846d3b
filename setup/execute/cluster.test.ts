import { expect, test } from 'vitest'
import { withoutPassword } from './cluster.ts'

test('a password of the database is given to programs by their environment, never by their arguments', () => {
  const { url, env } = withoutPassword('postgres://ada:p%40ss@db.example:5432/slipway?sslmode=require')
  expect(url).toBe('postgres://ada@db.example:5432/slipway?sslmode=require')
  expect(env.PGPASSWORD).toBe('p@ss')
  const own = 'postgres://slipway@%2Fvar%2Frun%2Fpostgresql:5432/slipway'
  expect(withoutPassword(own).url).toBe(own)
})
