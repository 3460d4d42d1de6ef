// Responses shared by many routes: a created resource with its Location, and a PDF.
import type { FastifyReply } from 'fastify';
import Type from 'typebox';

/** Responds with the created resource and its Location. */
export function created<Answer extends { id: string }>(
  reply: FastifyReply,
  path: string,
  answer: Answer,
  status = 201,
): Answer {
  void reply.code(status).header('location', `/api/v1/${path}/${answer.id}`);
  return answer;
}

export const pdfContent = (maxLength: number) => ({
  'application/pdf': { schema: Type.String({ format: 'binary', maxLength }) },
});

export const sendPdf = (reply: FastifyReply, name: string, pdf: Uint8Array, way = 'attachment'): never =>
  reply.type('application/pdf').header('content-disposition', `${way}; filename="${name}.pdf"`).send(pdf) as never;
