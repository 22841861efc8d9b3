import { DatabaseUnavailable } from '#lib/db/errors.ts'

/** Reports why an event could not be matched. A database that does not answer concerns all events, so that is thrown. */
export function reportFault(onError: (error: unknown) => void, eventId: string, error: unknown): void {
  if (error instanceof DatabaseUnavailable) throw error
  onError(new Error(`event ${eventId} could not be matched and is tried again`, { cause: error }))
}
