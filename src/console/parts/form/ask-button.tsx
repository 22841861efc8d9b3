import type { ComponentProps } from 'react'
import type { z } from 'zod'
import { Confirm, type ConfirmProps } from './confirm.tsx'
import { Opener } from './opener.tsx'

type Button = Omit<ComponentProps<typeof Opener>, 'label' | 'dialog'>

type Props<I extends z.ZodObject, O extends z.ZodType> = ConfirmProps<I, O> &
  Button & {
    /** The title of the question, if it is not given. */
    label?: string
  }

export function AskButton<I extends z.ZodObject, O extends z.ZodType>(props: Props<I, O>) {
  const { label = props.title, of = '', look = '', isOffered = true, ...confirm } = props
  return <Opener label={label} of={of} look={look} isOffered={isOffered} dialog={<Confirm {...confirm} />} />
}
