// SCATTER_ND, GATHER and GATHER_ND for TensorFlow Lite Micro, on strew's plans: README.md says how
// to add this file to a project. Prepare makes the plan, in the arena; Invoke runs it. An index out
// of bounds is an error that MicroPrintf names. -1 is the last element. Indices are int32, elements
// int8, uint8, bool (but for SCATTER_ND), int16, int32 and float32.
#include <cstring>

#include "strew.h"
#include "tensorflow/lite/c/builtin_op_data.h"
#include "tensorflow/lite/c/common.h"
#include "tensorflow/lite/micro/kernels/kernel_util.h"
#include "tensorflow/lite/micro/micro_context.h"
#include "tensorflow/lite/micro/micro_log.h"

namespace tflite {
namespace {

TfLiteStatus Done(const char* operation, strew_status status, const strew_error& error) {
  if (status == STREW_OK) return kTfLiteOk;
  char text[192];
  strew_error_message(&error, text, sizeof text);
  MicroPrintf("%s: %s", operation, text);
  return kTfLiteError;
}

TfLiteStatus NotSupported(const char* operation) {
  MicroPrintf("%s: these types or parameters are not supported", operation);
  return kTfLiteError;
}

// A tensor while the operator is prepared.
struct Tensor {
  Tensor(TfLiteContext* context, TfLiteNode* node, int input)
      : micro_(GetMicroContext(context)),
        tensor_(input < 0 ? micro_->AllocateTempOutputTensor(node, 0)
                          : micro_->AllocateTempInputTensor(node, input)) {}
  ~Tensor() {
    if (tensor_ != nullptr) micro_->DeallocateTempTfLiteTensor(tensor_);
  }
  TfLiteType type() const { return tensor_ == nullptr ? kTfLiteNoType : tensor_->type; }
  // The layout, or one of too many dimensions, which strew refuses.
  strew_layout layout() const {
    strew_layout layout = {9, {}, {}, 0};
    size_t sizes[8];
    if (tensor_ == nullptr || tensor_->dims->size > 8) return layout;
    for (int d = 0; d < tensor_->dims->size; d++) sizes[d] = tensor_->dims->data[d];
    strew_layout_contiguous(tensor_->dims->size, sizes, &layout, nullptr);
    return layout;
  }
  MicroContext* const micro_;
  TfLiteTensor* const tensor_;
};

size_t Length(const TfLiteEvalTensor* tensor) {
  size_t length = 1;
  for (int d = 0; d < tensor->dims->size; d++) length *= tensor->dims->data[d];
  return length;
}

template <bool nd> TfLiteStatus Prepare(TfLiteContext* context, TfLiteNode* node) {
  const char* const name = nd ? "GATHER_ND" : "GATHER";
  const Tensor input(context, node, 0), indices(context, node, 1), output(context, node, -1);
  if (indices.type() != kTfLiteInt32 || input.type() != output.type()) return NotSupported(name);
  node->user_data = context->AllocatePersistentBuffer(context, sizeof(strew_gather));
  TF_LITE_ENSURE(context, node->user_data != nullptr);
  auto* const plan = static_cast<strew_gather*>(node->user_data);
  const strew_layout from = input.layout(), to = output.layout();
  strew_layout places = indices.layout();
  strew_error error;
  if (nd) return Done(name, strew_gather_nd(plan, &from, &places, &to, 0, &error), error);
  const auto* const params = static_cast<const TfLiteGatherParams*>(node->builtin_data);
  const size_t axis = params->axis + (params->axis < 0 ? from.rank : 0);
  const size_t batch_dims = params->batch_dims + (params->batch_dims < 0 ? places.rank : 0);
  if (batch_dims == 0) {
    return Done(name, strew_gather_axis(plan, &from, &places, &to, axis, &error), error);
  }
  if (axis != batch_dims || strew_layout_repeated(&places, 1, &places, nullptr) != STREW_OK) {
    return NotSupported(name);
  }
  return Done(name, strew_gather_nd(plan, &from, &places, &to, batch_dims, &error), error);
}

template <bool nd> TfLiteStatus Invoke(TfLiteContext* context, TfLiteNode* node) {
  const char* const name = nd ? "GATHER_ND" : "GATHER";
  const TfLiteEvalTensor* const input = micro::GetEvalInput(context, node, 0);
  const TfLiteEvalTensor* const indices = micro::GetEvalInput(context, node, 1);
  TfLiteEvalTensor* const output = micro::GetEvalOutput(context, node, 0);
  strew_error error;
  const auto run = [&](decltype(strew_gather_run_1_i32)* gather) {
    const auto* const plan = static_cast<const strew_gather*>(node->user_data);
    const strew_status status =
        gather(plan, input->data.raw, Length(input), micro::GetTensorData<int32_t>(indices),
               Length(indices), output->data.raw, Length(output), &error);
    return Done(name, status, error);
  };
  switch (input->type) {
    case kTfLiteInt8: case kTfLiteUInt8: case kTfLiteBool: return run(strew_gather_run_1_i32);
    case kTfLiteInt16: return run(strew_gather_run_2_i32);
    case kTfLiteInt32: case kTfLiteFloat32: return run(strew_gather_run_4_i32);
    default: return NotSupported(name);
  }
}

// Inputs: indices, updates, shape. The output is 0 where no index leads, a sum where several do.
TfLiteStatus PlanScatterNd(TfLiteContext* context, TfLiteNode* node) {
  const Tensor indices(context, node, 0), updates(context, node, 1), output(context, node, -1);
  if (indices.type() != kTfLiteInt32 || updates.type() != output.type()) {
    return NotSupported("SCATTER_ND");
  }
  node->user_data = context->AllocatePersistentBuffer(context, sizeof(strew_scatter));
  TF_LITE_ENSURE(context, node->user_data != nullptr);
  auto* const plan = static_cast<strew_scatter*>(node->user_data);
  const strew_layout places = indices.layout(), from = updates.layout(), to = output.layout();
  strew_error error;
  return Done("SCATTER_ND", strew_scatter_nd(plan, &to, &places, &from, 0, &error), error);
}

template <typename T, typename Reduce>
TfLiteStatus AddInto(TfLiteContext* context, TfLiteNode* node, Reduce* reduce) {
  const TfLiteEvalTensor* const indices = micro::GetEvalInput(context, node, 0);
  const TfLiteEvalTensor* const updates = micro::GetEvalInput(context, node, 1);
  TfLiteEvalTensor* const output = micro::GetEvalOutput(context, node, 0);
  std::memset(output->data.raw, 0, Length(output) * sizeof(T));
  strew_error error;
  const strew_status status =
      reduce(static_cast<const strew_scatter*>(node->user_data), STREW_ADD,
             micro::GetTensorData<T>(output), Length(output),
             micro::GetTensorData<int32_t>(indices), Length(indices),
             micro::GetTensorData<T>(updates), Length(updates), &error);
  return Done("SCATTER_ND", status, error);
}

TfLiteStatus RunScatterNd(TfLiteContext* context, TfLiteNode* node) {
  switch (micro::GetEvalOutput(context, node, 0)->type) {
    case kTfLiteInt8: return AddInto<int8_t>(context, node, strew_scatter_reduce_i8_i32);
    case kTfLiteUInt8: return AddInto<uint8_t>(context, node, strew_scatter_reduce_u8_i32);
    case kTfLiteInt16: return AddInto<int16_t>(context, node, strew_scatter_reduce_i16_i32);
    case kTfLiteInt32: return AddInto<int32_t>(context, node, strew_scatter_reduce_i32_i32);
    case kTfLiteFloat32: return AddInto<float>(context, node, strew_scatter_reduce_f32_i32);
    default: return NotSupported("SCATTER_ND");
  }
}

}  // namespace

using micro::RegisterOp;
TFLMRegistration Register_GATHER() { return RegisterOp(nullptr, Prepare<false>, Invoke<false>); }
TFLMRegistration Register_GATHER_ND() { return RegisterOp(nullptr, Prepare<true>, Invoke<true>); }
TFLMRegistration Register_SCATTER_ND() { return RegisterOp(nullptr, PlanScatterNd, RunScatterNd); }

}  // namespace tflite
