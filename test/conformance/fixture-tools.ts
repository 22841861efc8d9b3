import { setTimeout as wait } from 'node:timers/promises'
import { type CallToolResult, MissingRequiredClientCapabilityError } from '@modelcontextprotocol/server'
import { capabilitiesOf, embedded, type FixtureTool, image, text, WAV } from './fixture-content.ts'
import { INPUT_TOOLS } from './fixture-input.ts'

const STEP_MS = 10

const answer =
  (...content: CallToolResult['content']) =>
  async (): Promise<CallToolResult> => ({ content })

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

/** Tools that the suite's scenarios name, as described there, but for those that ask the client through a session. */
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
  ...INPUT_TOOLS,
}
