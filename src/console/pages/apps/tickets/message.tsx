import { Chip } from '#console/parts/chip.tsx'
import { Time } from '#console/parts/time.tsx'

type Props = { author: string; at: string; body: string; isInternal?: boolean }

/** What a person wrote, with its line breaks. */
export function Message({ author, at, body, isInternal = false }: Props) {
  return (
    <article className={isInternal ? 'card message internal' : 'card message'}>
      <p className="row soft">
        <strong>{author}</strong> <Time at={at} /> {isInternal && <Chip tone="plain">Internal</Chip>}
      </p>
      <p className="prose">{body}</p>
    </article>
  )
}
