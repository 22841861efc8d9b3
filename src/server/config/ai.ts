import { z } from 'zod'
import type { ProviderModel, ProviderSettings } from '../areas/ai/index.ts'
import type { EnvironmentReader } from './reader.ts'

const DEFAULT_TOKENS_PER_DAY = 5_000_000
const DEFAULT_AGENT_TOKENS_PER_DAY = 1_000_000
const KEYS = '{"name", "base_url", "api_key", "kind", "models"}'
const OUTPUT_LIMIT_KEYS = ['max_tokens', 'max_completion_tokens'] as const
/** OpenAI's own service refuses `max_tokens` for its newer models. Other servers with its API know `max_tokens`. */
const OPENAI_HOST = /(?:^|\.)openai\.(?:com|azure\.com)$/

const ModelName = z.string('must be a text').min(1, 'must not be empty').max(128, 'must have at most 128 characters')
/** US dollars for a million tokens. */
const Price = z.number('must be a number').min(0, 'must not be negative').max(100_000, 'must be at most 100000')
const Provider = z.strictObject({
  name: z
    .string('must be a text')
    .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be at most 32 lower-case letters, digits and dashes')
    .refine((name) => name !== 'builtin', 'must not be builtin, which is reserved'),
  base_url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .refine(isPlain, 'must have no user, query or fragment')
    .transform((url) => url.replace(/\/+$/, '')),
  api_key: z
    .string('must be a text')
    .regex(/^[\x21-\x7e]{1,4096}$/, 'must contain only characters that are allowed in a header')
    .optional(),
  kind: z.enum(['openai', 'anthropic'], 'must be openai or anthropic'),
  models: z
    .array(
      z.strictObject({
        name: ModelName,
        dimensions: z
          .int('must be a whole number')
          .min(1, 'must be at least 1')
          .max(16_000, 'must be at most 16000')
          .optional(),
        chat: z.boolean('must be true or false').optional(),
        tools: z.boolean('must be true or false').optional(),
        price: z.strictObject({ input: Price, output: Price }, 'must be {"input", "output"}').optional(),
      }),
      'must be a list of {"name", "dimensions", "chat", "tools", "price"}',
    )
    .optional(),
  output_limit_key: z.enum(OUTPUT_LIMIT_KEYS, `must be ${OUTPUT_LIMIT_KEYS.join(' or ')}`).optional(),
})

type ConfiguredProvider = z.output<typeof Provider>
type ConfiguredModel = NonNullable<ConfiguredProvider['models']>[number]

export function readAi(read: EnvironmentReader) {
  /** Tokens of an organization at the gateway. */
  const tokensPerDay = read.integer('SVC_GATEWAY_TOKENS_PER_DAY', DEFAULT_TOKENS_PER_DAY, 0, Number.MAX_SAFE_INTEGER)
  /** Tokens of an organization's agents: checks and maintenance. */
  const agentTokensPerDay = read.integer(
    'SVC_AGENT_TOKENS_PER_DAY',
    DEFAULT_AGENT_TOKENS_PER_DAY,
    0,
    Number.MAX_SAFE_INTEGER,
  )
  const providers = read
    .jsonList('SVC_AI_PROVIDERS', Provider, KEYS)
    .flatMap((provider, i) => (provider ? [toProvider(read, provider, i + 1)] : []))
  const names = providers.map(({ name }) => name)
  if (new Set(names).size < names.length) read.fault('SVC_AI_PROVIDERS names a provider twice')
  return Object.freeze({ providers: Object.freeze(providers), tokensPerDay, agentTokensPerDay })
}

function toProvider(read: EnvironmentReader, data: ConfiguredProvider, place: number): ProviderSettings {
  const { name, base_url, api_key, kind } = data
  const models = data.models?.map(toModel)
  for (const [i, model] of (models ?? []).entries()) {
    const fault = modelFault(model, kind)
    if (fault) read.fault(`SVC_AI_PROVIDERS entry ${place}.models.${i} ${fault}`)
  }
  const isOpenAi = OPENAI_HOST.test(new URL(base_url).hostname)
  const outputLimitKey = data.output_limit_key ?? (isOpenAi ? 'max_completion_tokens' : 'max_tokens')
  return Object.freeze({ name, baseUrl: base_url, apiKey: api_key, kind, models, outputLimitKey })
}

/** A model with dimensions makes embeddings and one without chats, unless `chat` says otherwise. */
function toModel({ name, dimensions, price, ...given }: ConfiguredModel): ProviderModel {
  const chat = given.chat ?? dimensions === undefined
  return { name, dimensions, chat, tools: given.tools ?? chat, ...(price && { price }) }
}

function modelFault({ dimensions, chat, tools }: ProviderModel, kind: ProviderSettings['kind']): string | undefined {
  if (dimensions !== undefined && kind === 'anthropic') return 'must have no dimensions: Anthropic has no embeddings'
  if (dimensions === undefined && !chat) return 'must have dimensions or chat, otherwise it can do nothing'
  return tools && !chat ? 'must have chat to have tools' : undefined
}

function isPlain(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && !url.search && !url.hash && !url.username && !url.password
}
