import { z } from 'zod'
import { NO_BODY } from './core/limits.ts'
import { operation } from './core/operation.ts'

const TEXTS_MAX = 96
const TEXT_CHARS_MAX = 8192
const BODY_LIMIT = 1024 * 1024

const member = { principals: ['user', 'api_token'], role: 'viewer', scope: null, org: 'token' } as const

export const listModels = operation({
  kind: 'json',
  name: 'ai.models',
  method: 'GET',
  path: '/api/ai/v1/models',
  summary: 'The embedding models there are, in the shape of OpenAI',
  access: member,
  effect: 'read',
  bodyLimit: NO_BODY,
  refusals: 'openai',
  input: z.object({}),
  output: z.object({
    object: z.literal('list'),
    data: z.array(
      z.object({
        id: z.string().describe('`provider/model`'),
        object: z.literal('model'),
        created: z.int(),
        owned_by: z.string(),
        dimensions: z.int().nullable().describe('Numbers in a vector; null where only the provider knows'),
      }),
    ),
  }),
})

const Text = z.string().min(1).max(TEXT_CHARS_MAX)
const inputFault = `must be a text of 1 to ${TEXT_CHARS_MAX} characters, or a list of 1 to ${TEXTS_MAX} of them`

export const createEmbeddings = operation({
  kind: 'json',
  name: 'ai.embeddings',
  method: 'POST',
  path: '/api/ai/v1/embeddings',
  summary: 'Vectors for texts, in the shape of OpenAI',
  description:
    'Works with the clients made for OpenAI: set their base URL to `{base_url}/api/ai/v1` and their key to an API token. The tokens used are counted per organization and UTC day.',
  access: member,
  effect: 'write',
  bodyLimit: BODY_LIMIT,
  refusals: 'openai',
  errors: ['NOT_FOUND', 'RATE_LIMITED', 'TIMEOUT'],
  input: z.object({
    model: z.string().min(1).max(200).describe('A name from the list of models'),
    input: z.union([Text, z.array(Text).min(1).max(TEXTS_MAX)], { error: inputFault }),
    encoding_format: z.enum(['float', 'base64']).default('float').describe('base64 is of little-endian 32-bit floats'),
    dimensions: z.int().min(1).max(16_000).optional().describe('For models that can give shorter vectors'),
    user: z.string().max(256).optional().describe('Taken for the clients that send it; not used'),
  }),
  output: z.object({
    object: z.literal('list'),
    data: z.array(
      z.object({
        object: z.literal('embedding'),
        index: z.int(),
        embedding: z.union([z.array(z.number()), z.string()]),
      }),
    ),
    model: z.string(),
    usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
  }),
})
