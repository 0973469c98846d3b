import { resolve } from 'node:path'
import { mergeConfig } from 'vitest/config'
import usual from '../../../vitest.config.ts'
import { type Mutation, mutated } from './mutations.ts'

const mutation: Mutation | null = JSON.parse(process.env.SLIPWAY_MUTATION ?? 'null')

/** The tests as they are, on a source of which one file is read with a fault in it. Nothing on the disk is changed. */
export default mergeConfig(usual, {
  root: resolve(import.meta.dirname, '../../..'),
  // Kept modules know nothing of what was made of them here.
  test: { fsModuleCache: false },
  plugins: [
    {
      name: 'mutation',
      enforce: 'pre',
      transform(source: string, id: string) {
        if (mutation === null || !id.endsWith(`/${mutation.file}`)) return null
        const faulty = mutated(source, mutation)
        if (faulty === null) throw new Error(`${mutation.file} has no place for this mutation`)
        return { code: faulty, map: null }
      },
    },
  ],
})
