/** Example questions. They do not use the words in the title of the article that answers them. */
export const QUESTIONS: readonly { question: string; slug: string }[] = [
  { question: 'How much money do I get when I recommend a friend for a job?', slug: 'referral-bonus' },
  { question: 'How long can a new dad stay at home with his baby?', slug: 'second-parent-leave' },
  { question: 'When does my salary arrive in my bank account?', slug: 'pay-day' },
  { question: 'Can I get money towards my gym membership?', slug: 'wellbeing-allowance' },
  { question: 'Which class may I fly in?', slug: 'air-travel' },
  { question: 'What do I do if my laptop was stolen on the train?', slug: 'lost-devices' },
  { question: 'Which engineer gets woken up when the site goes down at night?', slug: 'on-call-rota' },
  { question: 'Can I bring my dog to work?', slug: 'pets' },
  { question: 'What do I do when a customer wants their money back?', slug: 'refunds' },
  { question: 'Who has to sign off when I want to buy something expensive?', slug: 'approval-limits' },
]
