import { Readable } from 'node:stream'
import { beforeEach, expect } from 'vitest'
import type { Org, World } from '../../../../test-kit/world.ts'
import type { OpenOptions, Storage, StoragePlace } from '../../../src/drivers/storage/storage.ts'
import { PATH } from './destinations.ts'

type Faults = Partial<Storage> & { open?: () => Promise<never>; hostKey?: string }
type Opened = { place: StoragePlace; options: OpenOptions }

/** In place of the world's own storage: what is in it, what was asked, and what goes wrong. */
export function fakeStorage({ platform }: World) {
  const objects = new Map<string, Buffer>()
  const asked: string[] = []
  const fake = { objects, asked, wrong: {} as Faults, opened: undefined as Opened | undefined, storage }
  beforeEach(() => {
    objects.clear()
    asked.length = 0
    fake.wrong = {}
  })

  function storage(): Storage {
    return {
      async put(key, source) {
        const chunks: Uint8Array[] = []
        for await (const chunk of source) chunks.push(chunk)
        objects.set(key, Buffer.concat(chunks))
        return { bytes: 0, sha256: '' }
      },
      get: async (key) => Readable.from([objects.get(key) ?? Buffer.alloc(0)]),
      stat: async () => null,
      list: async () => ({
        objects: [...objects.keys()].map((key) => ({ key, bytes: 1, modifiedAt: new Date() })),
        cursor: null,
      }),
      delete: async (key) => void objects.delete(key),
      async deleteMany(keys) {
        for (const key of keys) objects.delete(key)
      },
      sweep: async () => 0,
      close: () => void asked.push('close'),
    }
  }

  platform.storage = {
    async open(place, options) {
      const { wrong } = fake
      fake.opened = { place, options }
      asked.push('open')
      if (wrong.open) return wrong.open()
      if (wrong.hostKey !== undefined) options.onHostKey?.(wrong.hostKey)
      const broken = Object.fromEntries(Object.entries(wrong).filter(([, value]) => typeof value === 'function'))
      const all = { ...storage(), ...broken } as Storage
      const told = (name: keyof Storage) =>
        ((...args: never[]) => {
          asked.push(name)
          return (all[name] as (...args: never[]) => unknown)(...args)
        }) as never
      return { ...all, put: told('put'), get: told('get'), delete: told('delete') }
    },
  }
  return fake
}

export const asking = ({ owner: { api } }: Org) => ({
  async preflight(id: string) {
    const { status, body } = await api('POST', `${PATH}/${id}/preflight`)
    expect(status).toBe(200)
    return body as { ok: boolean; reason?: string }
  },
  show: async (id: string) => (await api('GET', `${PATH}/${id}`)).body,
})
