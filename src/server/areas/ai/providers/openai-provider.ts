import { ServiceError } from '#contract/core/errors.ts'
import type { EmbedAsk, EmbedTexts, Outgoing, ProviderSettings } from './provider.ts'
import { providerFault } from './provider-fault.ts'
import { readEmbeddings } from './read-embeddings.ts'
import { type Delay, sendWithRetries } from './send-with-retries.ts'

type Deps = { outgoing: Outgoing; delay?: Delay; timeoutMs?: number }

/** Gets embeddings over the API of OpenAI, which most providers and model servers support. */
export function createOpenAiProvider(
  { name, baseUrl, apiKey }: Pick<ProviderSettings, 'name' | 'baseUrl' | 'apiKey'>,
  { timeoutMs = 30_000, ...deps }: Deps,
): EmbedTexts {
  const headers = { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) }
  return async (ask, caller) => {
    const limit = AbortSignal.timeout(timeoutMs)
    const signal = AbortSignal.any([caller, limit])
    const request = () => new Request(`${baseUrl}/embeddings`, { method: 'POST', headers, body: bodyOf(ask), signal })
    try {
      const response = await sendWithRetries(request, { ...deps, name, model: ask.model, signal })
      return readEmbeddings(name, await response.text(), ask)
    } catch (error) {
      if (caller.aborted || error instanceof ServiceError) throw error
      if (!limit.aborted) throw providerFault(name, 'closed the connection before it had answered', error)
      throw new ServiceError('TIMEOUT', `The AI provider ${name} did not answer in ${timeoutMs / 1000} seconds.`)
    }
  }
}

function bodyOf({ model, texts, dimensions, shortened }: EmbedAsk): string {
  // Sent only if the caller asks for it, because most models have one size and refuse the key.
  return JSON.stringify({ model, input: texts, ...(shortened && { dimensions }) })
}
