import { serveWorker } from '#lib/threads/worker-serve.ts'
import { parseText } from './parse-text.ts'

export type ParseMessage = { readonly path: string; readonly text: string }

/** Answers the fault of the text, or null if it has none. */
serveWorker(async ({ path, text }: ParseMessage) => {
  try {
    parseText(path, text)
    return { value: null }
  } catch (error) {
    return { value: error instanceof Error ? error.message : String(error) }
  }
})
