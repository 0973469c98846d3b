import type { CDPSession, Page } from 'playwright-core'

/** Looks at the heaps of a page and of its workers; they are spoken to through the page. */
export async function heapsOf(page: Page) {
  const session = await page.context().newCDPSession(page)
  const workers = new Set<string>()
  session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
    if (targetInfo.type === 'worker') workers.add(sessionId)
  })
  session.on('Target.detachedFromTarget', ({ sessionId }) => workers.delete(sessionId))
  await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false })
  let asked = 0
  return {
    workers: () => workers.size,
    /** In MB: of the page, and of all its workers. */
    async look(): Promise<{ page: number; worker: number }> {
      const { usedSize } = await session.send('Runtime.getHeapUsage')
      const used = await Promise.all([...workers].map((id) => heapOfWorker(session, id, ++asked)))
      return { page: usedSize / 1e6, worker: used.reduce((sum, one) => sum + one, 0) / 1e6 }
    },
  }
}

const PATIENCE_MS = 5000

function heapOfWorker(session: CDPSession, sessionId: string, id: number): Promise<number> {
  return new Promise((done, failed) => {
    const hear = ({ sessionId: from, message }: { sessionId: string; message: string }) => {
      const answer = JSON.parse(message)
      if (from !== sessionId || answer.id !== id) return
      session.off('Target.receivedMessageFromTarget', hear)
      clearTimeout(timer)
      done(answer.result?.usedSize ?? 0)
    }
    const timer = setTimeout(() => failed(new Error('the worker says nothing of its heap')), PATIENCE_MS)
    session.on('Target.receivedMessageFromTarget', hear)
    const message = JSON.stringify({ id, method: 'Runtime.getHeapUsage' })
    session.send('Target.sendMessageToTarget', { sessionId, message }).catch(failed)
  })
}
