import type { SafeFetch, SafeFetchRequest } from '#lib/net/safe-fetch.ts'
import { SafeFetchError } from '#lib/net/safe-fetch-error.ts'
import type { Outcome } from '../model/outcome.ts'
import { retryAfterSeconds } from '../model/schedule.ts'

/** Result of one HTTP request to a receiver, as input for the classifiers. */
export type Exchange =
  | {
      readonly answered: true
      readonly status: number
      readonly retryAfter: string | undefined
      /** Discourse's name of the limit that a 429 is about. */
      readonly limitCode?: string | undefined
      readonly body: string
    }
  | {
      readonly answered: false
      readonly reason: SafeFetchError['reason']
      /** False only when no byte of the request can have reached the receiver. */
      readonly sent: boolean
      /** HTTP status, if the status line arrived before the connection broke. */
      readonly status: number | undefined
    }

export type Answered = Extract<Exchange, { answered: true }>

/** Refusals before connecting that a retry cannot fix. */
export const REFUSED_REASONS = ['refused_address', 'refused_url', 'redirect']

/** Returns the outcome for a receiver that asks for another attempt, after the pause that it names. */
export function retryOutcome(reason: string, { retryAfter }: Answered, now: Date): Extract<Outcome, { type: 'retry' }> {
  const seconds = retryAfterSeconds(retryAfter, now)
  return { type: 'retry', reason, ...(seconds !== undefined && { retryAfterSeconds: seconds }) }
}

/** Makes one request and never repeats it. Throws for bugs only. */
export async function exchangeOnce(safeFetch: SafeFetch, url: string, request: SafeFetchRequest): Promise<Exchange> {
  try {
    const { status, headers, body } = await safeFetch(url, request)
    return {
      answered: true,
      status,
      retryAfter: headers['retry-after'],
      limitCode: headers['discourse-rate-limit-error-code'],
      body: Buffer.from(body).toString('utf8'),
    }
  } catch (error) {
    if (!(error instanceof SafeFetchError)) throw error
    const { reason, sent, status } = error
    return { answered: false, reason, sent, status }
  }
}
