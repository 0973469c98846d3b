import { expect, test } from 'vitest'
import type { HostRepository } from '../../../drivers/githost/githost.ts'
import { extentOf } from './prove.ts'

const theirs = (ids: Record<number, boolean>) =>
  Object.entries(ids).map(([id, admin]) => ({ id: Number(id), permissions: { admin } }) as unknown as HostRepository)
const whole = (...ids: number[]) => ids.map((id) => ({ id }))

test.each([
  ['admin of every one', { 1: true, 2: true }, whole(1, 2), null],
  ['admin of some', { 1: true, 2: false }, whole(1, 2), [1]],
  ['sees fewer than there are', { 1: true }, whole(1, 2), [1]],
  ['admin of none', { 1: false }, whole(1, 2), []],
  ['sees none', {}, whole(1), []],
  ['an installation without repositories proves nothing', { 1: true }, whole(), []],
  ['what is not in the installation does not count', { 1: true, 3: true }, whole(1, 2), [1]],
])('a link reaches as far as its person is admin: %s', (_, mine, all, wanted) => {
  expect(extentOf(theirs(mine), all)).toEqual(wanted)
})
