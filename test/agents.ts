// What an agent reads of a tool's result.
export const answerOf = (result: { content?: unknown }): any =>
  JSON.parse((result.content as { text: string }[])[0].text);
