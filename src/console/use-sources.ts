import { useRef, useState } from 'react'
import { ServiceError } from '#contract/core/errors.ts'
import { listSlimSources, type SlimSource } from '#contract/data-sources/sources.ts'
import { connect } from './api.ts'

type Sources =
  | { state: 'none' }
  | { state: 'loading' }
  | { state: 'loaded'; items: SlimSource[] }
  | { state: 'failed'; detail: string }

/** Loads the sources that an API key may ask. The key is never stored. */
export function useSources() {
  const [sources, setSources] = useState<Sources>({ state: 'none' })
  const request = useRef<AbortController>(undefined)

  const forget = () => {
    request.current?.abort()
    setSources({ state: 'none' })
  }

  const load = async (apiKey: string) => {
    request.current?.abort()
    request.current = new AbortController()
    const { signal } = request.current
    setSources({ state: 'loading' })
    const loaded = await ask(apiKey, signal)
    if (!signal.aborted) setSources(loaded)
  }

  return { sources, load, forget }
}

async function ask(apiKey: string, signal: AbortSignal): Promise<Sources> {
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    return {
      state: 'failed',
      detail: 'An API key contains no spaces and no accented characters. Check that you copied it correctly.',
    }
  try {
    return { state: 'loaded', items: (await connect(apiKey).call(listSlimSources, {}, { signal })).items }
  } catch (error) {
    return { state: 'failed', detail: explain(error) }
  }
}

function explain(error: unknown): string {
  if (!(error instanceof ServiceError))
    return 'This page does not understand the answer of the service. Reload the page.'
  if (error.code === 'INVALID_TOKEN') return 'This API key is not valid. Check that you copied all of it.'
  return error.message
}
