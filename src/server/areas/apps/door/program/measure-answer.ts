import type { Outcome } from '../../counts/app-counts.ts'

type Send = (request: Request) => Promise<Response>

/** Measures how long an app takes until it begins to answer. A request that cannot be sent is not the fault of the app. */
export function measureAnswer(send: Send): { readonly send: Send; readonly outcome: () => Outcome } {
  const beganAt = performance.now()
  let outcome: Outcome = { noAnswer: 'visitor' }
  return {
    outcome: () => outcome,
    send: async (request) => {
      try {
        const response = await send(request)
        outcome = { status: response.status, ms: Math.round(performance.now() - beganAt) }
        return response
      } catch (error) {
        outcome = { noAnswer: request.signal.aborted ? 'visitor' : 'app' }
        throw error
      }
    },
  }
}
