import type { ChatModel, ChatRequest } from '#ports/chat-model.ts'
import type { ProviderModel, ProviderSettings } from '../providers/provider.ts'
import { anthropicWire } from './anthropic-wire.ts'
import { type ChatEvent, collectAnswer } from './events.ts'
import { openAiWire } from './openai-wire.ts'
import { createProviderStream, type StreamDeps } from './provider-stream.ts'
import { invalidRequest, type Wire } from './wire.ts'

export type StreamingChatModel = ChatModel & {
  /** As `call`, piece by piece. `onOpen` is called when the provider has accepted the request. */
  stream(request: ChatRequest, signal: AbortSignal, onOpen?: () => void): AsyncGenerator<ChatEvent>
}

export type ChatModels = {
  /** Undefined for an unknown model, and for one that cannot chat. */
  find(name: string): StreamingChatModel | undefined
  list(): readonly { readonly name: string; readonly tools: boolean }[]
  /** Names of the providers that accept every model name. */
  readonly openProviders: readonly string[]
}

const OWN_NAME = /^[\w.:/@-]{1,128}$/

export function createChatModels(providers: readonly ProviderSettings[], deps: StreamDeps): ChatModels {
  const opened = providers.map((settings) => ({ settings, model: createProvider(settings, deps) }))
  const find = (name: string) => {
    const slash = name.indexOf('/')
    const own = name.slice(slash + 1)
    const provider = opened.find(({ settings }) => settings.name === name.slice(0, slash))
    if (!provider) return undefined
    const { models } = provider.settings
    if (!models) return OWN_NAME.test(own) ? provider.model({ name: own, tools: true }) : undefined
    const listed = models.find((model) => model.name === own && model.chat)
    return listed && provider.model(listed)
  }
  return {
    find,
    list: () =>
      providers.flatMap(({ name, models }) =>
        (models ?? [])
          .filter(({ chat }) => chat)
          .map((model) => ({ name: `${name}/${model.name}`, tools: model.tools })),
      ),
    openProviders: providers.filter(({ models }) => models === undefined).map(({ name }) => name),
  }
}

const WIRES: Record<ProviderSettings['kind'], (settings: ProviderSettings) => Wire> = {
  anthropic: () => anthropicWire,
  openai: ({ outputLimitKey }) => openAiWire(outputLimitKey),
}

function createProvider(settings: ProviderSettings, deps: StreamDeps) {
  const wire = WIRES[settings.kind](settings)
  const stream = createProviderStream(settings, wire, deps)
  return ({
    name: model,
    tools: canCallTools,
    price,
  }: Pick<ProviderModel, 'name' | 'tools' | 'price'>): StreamingChatModel => {
    const name = `${settings.name}/${model}`
    const bodyOf = (request: ChatRequest) => {
      if (request.tools && !canCallTools) throw invalidRequest(`tools: the model ${name} cannot call tools`)
      return JSON.stringify(wire.body(model, request))
    }
    const streamOf: StreamingChatModel['stream'] = (request, signal, onOpen) =>
      stream({ model, request, body: bodyOf(request), signal }, onOpen)
    return {
      name,
      price,
      mostTokens: (request) => Buffer.byteLength(bodyOf(request)) + wire.addedTokens(request) + request.maxOutputTokens,
      call: async (request, signal) => collectAnswer(streamOf(request, signal)),
      stream: streamOf,
    }
  }
}
