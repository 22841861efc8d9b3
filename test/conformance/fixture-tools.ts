import { setTimeout as wait } from 'node:timers/promises'
import { type CallToolResult, MissingRequiredClientCapabilityError, type ServerContext } from '@modelcontextprotocol/server'
import { capabilitiesOf, embedded, type FixtureTool, image, text, WAV } from './fixture-content.ts'
import { INPUT_TOOLS } from './fixture-input.ts'

const STEP_MS = 10

const answer = (...content: CallToolResult['content']) => async (): Promise<CallToolResult> => ({ content })

const withLogging: FixtureTool = async (ctx) => {
  for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await ctx.mcpReq.log('info', words)
    await wait(STEP_MS)
  }
  return { content: [text('done')] }
}

const withProgress: FixtureTool = async (ctx) => {
  const progressToken = ctx.mcpReq._meta?.progressToken
  for (const progress of [0, 50, 100]) {
    const params = { progressToken, progress, total: 100 }
    if (progressToken !== undefined) await ctx.mcpReq.notify({ method: 'notifications/progress', params })
    await wait(STEP_MS)
  }
  return { content: [text('done')] }
}

const missingCapability: FixtureTool = async (ctx) => {
  if (!capabilitiesOf(ctx).sampling) {
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
  }
  return { content: [text('sampling is there')] }
}

const sampling: FixtureTool = async (ctx, { prompt }) => {
  const messages = [{ role: 'user' as const, content: text(String(prompt)) }]
  const { content } = await ctx.mcpReq.requestSampling({ messages, maxTokens: 100 })
  return { content: [text(`LLM response: ${JSON.stringify(content)}`)] }
}

type Properties = Parameters<ServerContext['mcpReq']['elicitInput']>[0] extends infer P
  ? P extends { requestedSchema: { properties: infer S } }
    ? S
    : never
  : never

const elicit =
  (properties: Properties, required: string[] = []): FixtureTool =>
  async (ctx, { message }) => {
    const requestedSchema = { type: 'object' as const, properties, required }
    const { action, content } = await ctx.mcpReq.elicitInput({ message: String(message ?? 'Please say'), requestedSchema })
    return { content: [text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)] }
  }

const CHOICES = ['option1', 'option2', 'option3']
const titled = (words: string) =>
  ['First', 'Second', 'Third'].map((nth, i) => ({ const: `value${i + 1}`, title: `${nth} ${words}` }))

/** What the suite's scenarios name, each as they describe it. */
export const TOOLS: Record<string, FixtureTool> = {
  test_simple_text: answer(text('This is a simple text response for testing.')),
  test_image_content: answer(image),
  test_audio_content: answer({ type: 'audio', data: WAV, mimeType: 'audio/wav' }),
  test_embedded_resource: answer(
    embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ),
  test_multiple_content_types: answer(
    text('Multiple content types test:'),
    image,
    embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ),
  test_error_handling: async () => ({
    isError: true,
    content: [text('This tool intentionally returns an error for testing')],
  }),
  test_tool_with_logging: withLogging,
  test_logging_tool: withLogging,
  test_tool_with_progress: withProgress,
  test_missing_capability: missingCapability,
  test_sampling: sampling,
  test_elicitation: elicit(
    {
      username: { type: 'string', description: "User's response" },
      email: { type: 'string', description: "User's email address" },
    },
    ['username', 'email'],
  ),
  test_elicitation_sep1034_defaults: elicit({
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  }),
  test_elicitation_sep1330_enums: elicit({
    untitledSingle: { type: 'string', enum: CHOICES },
    titledSingle: { type: 'string', oneOf: titled('Option') },
    legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: CHOICES } },
    titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
  }),
  ...INPUT_TOOLS,
}
