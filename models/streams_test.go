package models

import "testing"

// Streams as the providers' documentation and recorded sessions show them, shortened.

func responsesAnswer(tb testing.TB) string {
	tb.Helper()
	return sse(tb,
		`{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","model":"gpt-5.6-luna","output":[],"usage":null,"store":false}}`,
		`{"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_1","status":"in_progress"}}`,
		`{"type":"response.output_item.added","sequence_number":2,"output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"gAAA"}}`,
		`{"type":"response.reasoning_summary_text.delta","sequence_number":3,"item_id":"rs_1","output_index":0,"summary_index":0,"delta":"Multiply."}`,
		`{"type":"response.output_item.done","sequence_number":4,"output_index":0,"item":{"id":"rs_1","type":"reasoning","status":"completed","summary":[{"type":"summary_text","text":"Multiply."}],"encrypted_content":"gAAAAABo"}}`,
		`{"type":"response.output_item.added","sequence_number":5,"output_index":1,"item":{"id":"msg_1","type":"message","status":"in_progress","content":[],"role":"assistant"}}`,
		`{"type":"response.content_part.added","sequence_number":6,"item_id":"msg_1","output_index":1,"content_index":0,"part":{"type":"output_text","annotations":[],"logprobs":[],"text":""}}`,
		`{"type":"response.output_text.delta","sequence_number":7,"item_id":"msg_1","output_index":1,"content_index":0,"delta":"The answer","logprobs":[],"obfuscation":"Xk3"}`,
		`{"type":"response.output_text.delta","sequence_number":8,"item_id":"msg_1","output_index":1,"content_index":0,"delta":" is 42.","logprobs":[],"obfuscation":"aQ"}`,
		`{"type":"response.output_text.done","sequence_number":9,"item_id":"msg_1","output_index":1,"content_index":0,"text":"The answer is 42.","logprobs":[]}`,
		`{"type":"response.output_item.done","sequence_number":10,"output_index":1,"item":{"id":"msg_1","type":"message","status":"completed","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"The answer is 42."}],"role":"assistant"}}`,
		`{"type":"response.completed","sequence_number":11,"response":{"id":"resp_1","object":"response","status":"completed","error":null,"incomplete_details":null,"model":"gpt-5.6-luna-2026-06-01","output":[{"id":"rs_1","type":"reasoning","status":"completed","summary":[{"type":"summary_text","text":"Multiply."}],"encrypted_content":"gAAAAABo"},{"id":"msg_1","type":"message","status":"completed","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"The answer is 42."}],"role":"assistant"}],"usage":{"input_tokens":75,"input_tokens_details":{"cached_tokens":32,"cache_write_tokens":11},"output_tokens":1186,"output_tokens_details":{"reasoning_tokens":1024},"total_tokens":1261}}}`,
	)
}

func messagesAnswer(tb testing.TB) string {
	tb.Helper()
	return sse(tb,
		`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-haiku-4-5-20251001","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":25,"cache_creation_input_tokens":188,"cache_read_input_tokens":1024,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		`{"type":"ping"}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Six times "}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"seven."}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQBCgIYAhIM"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"The answer"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":" is 42."}}`,
		`{"type":"content_block_stop","index":1}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":89,"output_tokens_details":{"thinking_tokens":40}}}`,
		`{"type":"message_stop"}`,
	)
}

func chatAnswer(tb testing.TB) string {
	tb.Helper()
	return sse(tb,
		`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1694268190,"model":"gpt-4.1-mini","system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}],"usage":null}`,
		`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1694268190,"model":"gpt-4.1-mini","choices":[{"index":0,"delta":{"content":"The answer"},"logprobs":null,"finish_reason":null}],"usage":null}`,
		`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1694268190,"model":"gpt-4.1-mini","choices":[{"index":0,"delta":{"content":" is 42."},"logprobs":null,"finish_reason":null}],"usage":null}`,
		`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1694268190,"model":"gpt-4.1-mini","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}`,
		`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1694268190,"model":"gpt-4.1-mini","choices":[],"usage":{"prompt_tokens":2006,"completion_tokens":300,"total_tokens":2306,"prompt_tokens_details":{"cached_tokens":1920,"cache_write_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":64,"audio_tokens":0}}}`,
	) + "data: [DONE]\n\n"
}
