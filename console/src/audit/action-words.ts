const nouns: Record<string, string> = {
  apiKey: 'Key',
  registeredApplication: 'Connection',
  eventSubscription: 'Event subscription',
  documentLibrary: 'Document library',
}

const whole: Record<string, string> = {
  'account.invitedAgain': 'Activation link resent',
  'account.signInLinkCreated': 'Sign-in link created',
  'registeredApplication.takenBack': 'Connection access revoked',
  'share.takenBack': 'Share revoked',
}

/** `apiKey.created` as people say it: Key created. */
export function actionWords(action: string): string {
  const known = whole[action]
  if (known !== undefined) return known
  const [noun = '', verb = ''] = action.split('.')
  const spaced = (word: string) => word.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  const name = nouns[noun] ?? spaced(noun)
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${spaced(verb)}`.trim()
}
