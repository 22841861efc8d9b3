const BYTES_OF_A_TOKEN = 4

/** The events of one streamed answer, as the API of OpenAI has them. `answer` is a text or the calls of tools. */
export function toEvents(request, { text, calls = [] }) {
  const tool_calls = calls.map(([name, input], index) => ({
    index,
    id: `call_${request.messages.length}_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
  const delta = { role: 'assistant', content: text ?? null, ...(calls.length > 0 && { tool_calls }) }
  const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop'
  const chunk = { id: 'chatcmpl-example', object: 'chat.completion.chunk', model: request.model }
  return [
    { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
    { ...chunk, choices: [], usage: countTokens(request, delta) },
  ]
    .map((event) => JSON.stringify(event))
    .concat('[DONE]')
}

/** Without a usage svc books all that it reserved for the call. */
function countTokens(request, delta) {
  const prompt_tokens = tokensOf(request)
  const completion_tokens = tokensOf(delta)
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}

function tokensOf(value) {
  return Math.ceil(Buffer.byteLength(JSON.stringify(value)) / BYTES_OF_A_TOKEN)
}
