import { useEffect, useState } from 'react'
import { isRefusal } from '../api/client.ts'

/** Seconds until it may be tried again, counting down; 0: now. */
export function useWait(error: unknown): number {
  const [until, setUntil] = useState(0)
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const seconds = isRefusal(error) && error.status === 429 ? (error.retryAfter ?? 60) : 0
    setNow(Date.now())
    setUntil(Date.now() + seconds * 1000)
  }, [error])
  const left = Math.max(0, Math.ceil((until - now) / 1000))
  const isWaiting = left > 0
  useEffect(() => {
    if (!isWaiting) return
    const timer = setInterval(() => setNow(Date.now()), 250)
    return () => clearInterval(timer)
  }, [isWaiting])
  return left
}
