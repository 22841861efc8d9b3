import { z } from 'zod'
import { jsonOrUndefined } from '#lib/json-or-undefined.ts'
import type { ChatAnswer } from '#ports/chat-model.ts'
import type { Outcome } from './outcome.ts'

const Judgement = z.object({ verdict: z.enum(['pass', 'fail', 'unsure']), reason: z.string() })

const MAX_REASON_LENGTH = 500

/** Reads the verdict of a model. What it did not see can hide a fault, so a pass needs all of the evidence. */
export function judgeAnswer(answer: Pick<ChatAnswer, 'text' | 'stopReason'>, hasAllEvidence: boolean): Outcome {
  if (answer.stopReason === 'length') {
    return {
      verdict: 'indeterminate',
      code: 'budget_exhausted',
      detail: 'The model used all tokens of the run before it decided.',
    }
  }
  const judgement = readJudgement(answer.text)
  if (!judgement) return { verdict: 'error', code: 'model_answer', detail: 'The model did not answer with a verdict.' }
  const reason = cleaned(judgement.reason)
  switch (judgement.verdict) {
    case 'fail':
      return { verdict: 'fail', code: 'judged', detail: reason }
    case 'unsure':
      return { verdict: 'indeterminate', code: 'evidence_limit', detail: reason }
    case 'pass':
      if (hasAllEvidence) return { verdict: 'pass', code: 'judged', detail: reason }
      return {
        verdict: 'indeterminate',
        code: 'evidence_limit',
        detail: `The model found no fault, but did not see everything. Use a shorter window or a higher level. ${reason}`,
      }
    default:
      return judgement.verdict satisfies never
  }
}

/** Some models put their JSON into a code block. */
function readJudgement(text: string): z.infer<typeof Judgement> | undefined {
  const [start, end] = [text.indexOf('{'), text.lastIndexOf('}')]
  if (start < 0 || end < start) return undefined
  return Judgement.safeParse(jsonOrUndefined(text.slice(start, end + 1))).data
}

/** The reason can repeat what stands in a log. */
function cleaned(reason: string): string {
  return reason
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .slice(0, MAX_REASON_LENGTH)
    .toWellFormed()
}
