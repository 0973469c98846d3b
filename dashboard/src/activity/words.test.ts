import { expect, test } from 'vitest'
import { actionInWords, deploymentInWords } from './words.ts'

const nameOf = (id: string) => ({ prj_1: 'shop' })[id]

test('a deployment is told with its project and number, and going back is not told as going on', () => {
  expect(deploymentInWords({ projectId: 'prj_1', number: 4 }, nameOf)).toBe('shop #4')
  expect(deploymentInWords({ projectId: 'prj_2', number: 4 }, nameOf)).toBe('#4')
  expect(deploymentInWords({ force: true }, nameOf)).toBeUndefined()
  expect(actionInWords('deployment.create', { trigger: 'rollback' })).toBe('began a rollback')
  expect(actionInWords('deployment.create', { trigger: 'upload' })).toBe('began a deployment')
  expect(actionInWords('deployment.pin', {})).toBe('pinned a deployment')
})
