type Question = { id: string }
type Waiting<Q, A> = { question: Q; resolve(answer: A | undefined): void; reject(error: unknown): void }

/**
 * Request coalescing: what many ask at one moment is asked once. While one batch is answered the next one gathers, so that batches grow
 * with the load and there is one at a time. Two questions about the same id are of two batches, in the order in which they came.
 */
export function batches<Q extends Question, A>(
  most: number,
  ask: (questions: Q[]) => Promise<Map<string, A>>,
): (question: Q) => Promise<A | undefined> {
  let waiting: Waiting<Q, A>[] = []
  let isAsking = false
  const take = (): Waiting<Q, A>[] => {
    const taken = new Map<string, Waiting<Q, A>>()
    const left: Waiting<Q, A>[] = []
    for (const one of waiting) {
      if (taken.size < most && !taken.has(one.question.id)) taken.set(one.question.id, one)
      else left.push(one)
    }
    waiting = left
    return [...taken.values()]
  }
  const askAll = async () => {
    isAsking = true
    while (waiting.length > 0) {
      // Whoever asks in the same moment comes along.
      await Promise.resolve()
      const batch = take()
      try {
        const answers = await ask(batch.map(({ question }) => question))
        for (const { question, resolve } of batch) resolve(answers.get(question.id))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isAsking = false
  }
  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject })
      if (!isAsking) void askAll()
    })
}
