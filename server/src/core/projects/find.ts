import type { Queryable } from '../../db/database.ts'
import { notFound } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import * as store from './store.ts'

/** The project, or "no such project" for one that is unknown, foreign, deleted or outside the token's restriction. */
export async function requireProject(db: Queryable, caller: Caller, id: string): Promise<store.ProjectRow> {
  const project = await store.find(db, caller, id)
  if (!project) throw notFound('project')
  return project
}
