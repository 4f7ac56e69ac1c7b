// Says the sentences of scripts, in the language of the page: the server puts its words in place of the English ones.

export const LANGUAGE = document.documentElement.lang;

export function say(sentence, values = {}) {
  return sentence.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}
