import { useRef, useState } from 'react'
import { ServiceError } from '#contract/core/errors.ts'
import { listSlimSources, type SlimSource } from '#contract/data-sources/sources.ts'
import { connect } from './api.ts'

type Sources =
  | { state: 'none' }
  | { state: 'loading' }
  | { state: 'loaded'; items: SlimSource[] }
  | { state: 'failed'; detail: string }

/** The sources one key may ask. The key is an argument and is kept nowhere. */
export function useSources() {
  const [sources, setSources] = useState<Sources>({ state: 'none' })
  const asking = useRef<AbortController>(undefined)

  const forget = () => {
    asking.current?.abort()
    setSources({ state: 'none' })
  }

  const load = async (apiKey: string) => {
    asking.current?.abort()
    asking.current = new AbortController()
    const { signal } = asking.current
    setSources({ state: 'loading' })
    const found = await ask(apiKey, signal)
    if (!signal.aborted) setSources(found)
  }

  return { sources, load, forget }
}

async function ask(apiKey: string, signal: AbortSignal): Promise<Sources> {
  if (!/^[\x21-\x7e]+$/.test(apiKey)) return { state: 'failed', detail: 'An API key has no spaces or accents in it.' }
  try {
    return { state: 'loaded', items: (await connect(apiKey).call(listSlimSources, {}, { signal })).items }
  } catch (error) {
    return { state: 'failed', detail: explain(error) }
  }
}

function explain(error: unknown): string {
  if (!(error instanceof ServiceError)) return 'The service answered something this page does not know. Reload it.'
  if (error.code === 'INVALID_TOKEN') return 'This API key is not valid. Check that you copied all of it.'
  return error.message
}
