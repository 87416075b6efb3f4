// The types of the official SDKs that main.mjs turns into schemas: requests, whole responses and
// events of each API.
import type * as Anthropic from '@anthropic-ai/sdk/resources/messages/messages';
import type * as Google from '@google/genai';
import type * as Chat from 'openai/resources/chat/completions/completions';
import type * as Responses from 'openai/resources/responses/responses';

export type MessagesRequest = Anthropic.MessageCreateParamsBase;
export type MessagesBody = Anthropic.Message;
export type MessagesEvent = Anthropic.RawMessageStreamEvent;

export type ChatRequest = Chat.ChatCompletionCreateParamsNonStreaming | Chat.ChatCompletionCreateParamsStreaming;
export type ChatBody = Chat.ChatCompletion;
export type ChatEvent = Chat.ChatCompletionChunk;

export type ResponsesRequest = Responses.ResponseCreateParamsBase;
export type ResponsesBody = Responses.Response;
export type ResponsesEvent = Responses.ResponseStreamEvent;

export interface GeminiRequest {
    contents: Google.Content[];
    systemInstruction?: Google.Content;
    tools?: Google.Tool[];
    toolConfig?: Google.ToolConfig;
    generationConfig?: Google.GenerationConfig;
}
export interface GeminiBody {
    candidates: Google.Candidate[];
    usageMetadata?: Google.GenerateContentResponseUsageMetadata;
    modelVersion?: string;
}
