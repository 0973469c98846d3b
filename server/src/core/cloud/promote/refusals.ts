import { Refusal } from '../../../errors.ts'

export const promotionRunning = (sentence: string) =>
  new Refusal('promotion_running', sentence, {
    hint: 'GET /api/projects/:id/promotion says how far it is; POST /api/deployments/:id/cancel cancels it.',
    retryAfter: 3,
  })
