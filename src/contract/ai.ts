import { z } from 'zod'
import { byMember } from './core/access.ts'
import { jsonGet, jsonPost } from './core/methods.ts'
import { operation } from './core/operation.ts'

export const MAX_TEXTS = 96
export const MAX_TEXT_LENGTH = 8192
const EMBEDDINGS_LIMIT = 1024 * 1024

export const listModels = operation({
  ...jsonGet,
  name: 'ai.models',
  path: '/api/ai/v1/models',
  summary: 'List AI models (OpenAI-compatible)',
  access: byMember,
  refusals: 'openai',
  output: z.object({
    object: z.literal('list'),
    data: z.array(
      z.object({
        id: z.string().describe('`provider/model`'),
        object: z.literal('model'),
        created: z.int(),
        owned_by: z.string(),
        dimensions: z
          .int()
          .nullable()
          .describe('Length of a vector; null if only the provider knows it, or if the model makes none'),
        capabilities: z
          .array(z.enum(['embeddings', 'chat', 'tools']))
          .describe('What the model can do; `tools`: call tools in a chat'),
      }),
    ),
  }),
})

const Text = z.string().min(1).max(MAX_TEXT_LENGTH)
const inputFault = `must be a text of 1 to ${MAX_TEXT_LENGTH} characters, or a list of 1 to ${MAX_TEXTS} such texts`

export const createEmbeddings = operation({
  ...jsonPost,
  name: 'ai.embeddings',
  path: '/api/ai/v1/embeddings',
  summary: 'Create embeddings for texts (OpenAI-compatible)',
  description:
    'Works with OpenAI clients: set the base URL to `{base_url}/api/ai/v1` and the key to an API token. Used tokens are counted per organization and UTC day.',
  access: { ...byMember, support: 'refused' },
  bodyLimit: EMBEDDINGS_LIMIT,
  refusals: 'openai',
  errors: ['NOT_FOUND', 'RATE_LIMITED', 'TIMEOUT'],
  input: z.object({
    model: z.string().min(1).max(200).describe('A name from the list of models'),
    input: z.union([Text, z.array(Text).min(1).max(MAX_TEXTS)], { error: inputFault }),
    encoding_format: z
      .enum(['float', 'base64'])
      .default('float')
      .describe('`base64` encodes little-endian 32-bit floats'),
    dimensions: z.int().min(1).max(16_000).optional().describe('Shortens the vectors, for models that support it'),
    user: z.string().max(256).optional().describe('Accepted because some clients send it; has no effect'),
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

export const readAgentPool = operation({
  ...jsonGet,
  name: 'ai.agent-pool',
  path: '/api/ai/agent-pool',
  summary: "Show the tokens that the organization's agents used on each day, and for which apps",
  description:
    'Checks and maintenance share the tokens of a day, which begins in the timezone of maintenance. Calls that run count with all that they reserved.',
  access: { ...byMember, role: 'admin' },
  input: z.object({ days: z.int().min(1).max(90).default(30).describe('Today counts as one') }),
  output: z.object({
    limit: z.int().describe('Tokens of a day'),
    timezone: z.string(),
    days: z
      .array(
        z.object({
          day: z.iso.date(),
          checks: z.int(),
          maintenance: z.int(),
          is_closed: z
            .boolean()
            .describe('A provider served more than was reserved, so nothing more was spent that day'),
        }),
      )
      .describe('Oldest first, without gaps'),
    apps: z
      .array(
        z.object({
          app: z
            .object({ alias: z.string(), name: z.string() })
            .nullable()
            .describe('Null for checks and runs of apps that do not exist any more, and for deleted checks'),
          checks: z.int(),
          maintenance: z.int(),
        }),
      )
      .describe('The ten for which most tokens were used on these days'),
  }),
})
