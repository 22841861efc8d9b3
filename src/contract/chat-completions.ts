import { z } from 'zod'
import { boundedMap } from './core/bounded-map.ts'
import { rawPost } from './core/methods.ts'
import { operation } from './core/operation.ts'

const BODY_LIMIT = 4 * 1024 * 1024
const MAX_MESSAGES = 2_000
const MAX_CONTENT_PARTS = 1_000
const MAX_TOOLS = 128
const MAX_SCHEMA_KEYS = 10_000
/** Used if the caller gives no limit. The tokens are held at the meter while the call runs, so it is not the largest. */
export const DEFAULT_OUTPUT_TOKENS = 4_096
const MAX_OUTPUT_TOKENS = 200_000

const Name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, dashes and underscores')
const Schema = boundedMap(z.string().max(1_000), z.unknown(), MAX_SCHEMA_KEYS)

/** A text may fill the whole body. */
const Text = z.string().max(BODY_LIMIT)
const Content = z.union([
  Text,
  z
    .array(z.strictObject({ type: z.literal('text'), text: Text }))
    .min(1)
    .max(MAX_CONTENT_PARTS),
])

const ToolCall = z.strictObject({
  id: z.string().min(1).max(200),
  type: z.literal('function'),
  function: z.strictObject({ name: Name, arguments: Text }),
})

const Message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['system', 'developer']), content: Content }),
  z.strictObject({ role: z.literal('user'), content: Content }),
  z.strictObject({
    role: z.literal('assistant'),
    content: Content.nullish(),
    refusal: z.null().optional().describe('Accepted because clients send answers back as they got them'),
    tool_calls: z.array(ToolCall).max(MAX_TOOLS).optional(),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string().min(1).max(200), content: Content }),
])

const Tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: Name,
    description: Text.optional(),
    parameters: Schema.optional().describe('JSON schema of the arguments'),
    strict: z.boolean().nullish().describe('Has no effect: check the arguments that a model writes'),
  }),
})

const ResponseFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      name: Name,
      description: Text.optional(),
      schema: Schema,
      strict: z.boolean().nullish(),
    }),
  }),
])

const Stop = z.string().min(1).max(1_000)
const OutputLimit = z.int().min(1).max(MAX_OUTPUT_TOKENS)

export const createChatCompletion = operation({
  ...rawPost,
  name: 'ai.chat-completions',
  path: '/api/ai/v1/chat/completions',
  summary: 'Let a model answer a conversation (OpenAI-compatible)',
  description:
    'Works with OpenAI clients: set the base URL to `{base_url}/api/ai/v1` and the key to an API token. With `stream` the answer comes as server-sent events that end with `[DONE]`; comment lines are heartbeats. Used tokens are counted per organization and UTC day.',
  access: { principals: ['user', 'api_token'], role: 'viewer', scope: null, org: 'token', support: 'refused' },
  bodyLimit: BODY_LIMIT,
  refusals: 'openai',
  errors: ['NOT_FOUND', 'RATE_LIMITED', 'UNAVAILABLE', 'TIMEOUT'],
  produces: ['application/json', 'text/event-stream'],
  jsonInput: true,
  input: z.object({
    model: z.string().min(1).max(200).describe('A model with the capability `chat` from the list of models'),
    messages: z.array(Message).min(1).max(MAX_MESSAGES),
    tools: z.array(Tool).min(1).max(MAX_TOOLS).optional(),
    tool_choice: z
      .union([
        z.enum(['auto', 'none', 'required']),
        z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: Name }) }),
      ])
      .optional(),
    response_format: ResponseFormat.optional(),
    max_completion_tokens: OutputLimit.nullish().describe(
      `Most tokens of the answer, ${DEFAULT_OUTPUT_TOKENS} by default`,
    ),
    max_tokens: OutputLimit.nullish().describe('Older name of `max_completion_tokens`'),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().gt(0).max(1).nullish(),
    stop: z.union([Stop, z.array(Stop).max(4)]).nullish(),
    stream: z.boolean().nullish(),
    stream_options: z
      .strictObject({ include_usage: z.boolean().optional() })
      .nullish()
      .describe('With `include_usage` the last event before `[DONE]` has `usage`'),
    n: z.literal(1, 'must be 1: one call gives one answer').nullish(),
    user: z.string().max(256).optional().describe('Accepted because some clients send it; has no effect'),
  }),
})
