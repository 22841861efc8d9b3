import type { VectorFinding, VectorFindingKind } from '#contract/data-sources/vectors.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import type { Check } from './checks.ts'

type Words = Pick<VectorFinding, 'explanation' | 'advice'>

const FILL_AGAIN = 'Set the vector of these rows to null and fill it again with `svc db embed`.'

/** Returns in plain words what a finding means and what to do about it. */
export function describeFinding(kind: VectorFindingKind, entry: ResolvedEntry, check: Check): Words {
  const { model, dimensions, metric } = entry
  switch (kind) {
    case 'missing':
      return {
        explanation: 'These rows have text and no vector, so no question finds them.',
        advice: 'Fill them with `svc db embed`; with `--watch` it goes on with new rows.',
      }
    case 'dimensions':
      return {
        explanation: `These vectors have another size than ${dimensions}. A question that meets one of them fails.`,
        advice: `${FILL_AGAIN} Then give the column the type with a size, so that Postgres refuses others.`,
      }
    case 'zero':
      return {
        explanation: 'All numbers of these vectors are 0, so nothing is near to them.',
        advice: `An embedding probably failed and zeros were written. ${FILL_AGAIN}`,
      }
    case 'constant':
      return {
        explanation: 'All numbers of each of these vectors are the same, so it has no meaning.',
        advice: `A default or a test value was probably written. ${FILL_AGAIN}`,
      }
    case 'duplicate':
      return {
        explanation: 'Rows of different text have exactly the same vector, so questions cannot tell them apart.',
        advice: `Vectors were probably written to the wrong rows. ${FILL_AGAIN}`,
      }
    case 'norms':
      return {
        explanation: `Vectors of length 1 and raw ones are mixed; these are the ${check.fewer ?? 'raw'} ones. ${normEffect(metric)}`,
        advice: 'Two programs probably fill the column. Normalise all vectors or none.',
      }
    case 'models':
      return {
        explanation: `These vectors have nothing in common with the others, as if a model other than ${model} made them. Questions find them by chance.`,
        advice: FILL_AGAIN,
      }
    case 'stale':
      return {
        explanation: `${model} makes another vector of the text that these rows have now: the text was probably changed after it was embedded. The SQL lists those of the sample; the share is that of the whole table.`,
        advice: `${FILL_AGAIN} A trigger that sets the vector to null when the text changes keeps it from coming back.`,
      }
    case 'grown':
      return {
        explanation: 'The table has more than a tenth more rows than when its index was measured.',
        advice:
          'From a fifth on, the next question has the index measured again; after many new rows run `analyze` on the table first. Build an IVFFlat index again, because its lists were made of the former rows.',
      }
    default:
      throw kind satisfies never
  }
}

function normEffect(metric: ResolvedEntry['metric']): string {
  if (metric === 'cosine')
    return 'Under cosine the order of answers is the same; with another metric it would be wrong.'
  return `Under ${metric} the order of answers depends on the length, so it is wrong.`
}
