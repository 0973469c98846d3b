import { z } from 'zod'

/** Lists are newest first, at most `limit` rows at a time; `nextCursor` asks for the rest, and null is where a list ends. */
export const PageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(600).optional(),
})
export type PageQuery = z.infer<typeof PageQuery>

export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), nextCursor: z.string().nullable() })

export type Page<T> = { data: T[]; nextCursor: string | null }

export const Done = z.object({ success: z.literal(true) })
